void never(void) {}

__attribute__((noinline)) void crash(int *at) { *at = 1; }

int main(int argc, char **argv) {
    if (argc > 1)
        never();
    crash((int *)8L);
    return argv == 0;
}
