/* Counts itself, and needs no runtime of the sanitizers. */
void __sanitizer_cov_8bit_counters_init(char *start, char *stop) {}

int main(int argc, char **argv) {
    volatile int n = 0;
    if (argc > 1)
        for (int i = 0; i < 20; i++)
            n++;
    else
        n = 5;
    return argv == 0;
}
