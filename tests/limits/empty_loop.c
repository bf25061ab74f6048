// The step limit ends this; a constant condition keeps it defined (C11 6.8.5p6).
// outcome: out-of-fuel
int main(void) {
    for (;;)
        ;
}
