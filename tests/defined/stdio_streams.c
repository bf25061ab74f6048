// C11 7.21.7: output through the stream functions, in order with printf.
#include <stdio.h>
int main(void) {
    fputs("fputs\n", stdout);
    fputc('f', stdout);
    putc('\n', stdout);
    fprintf(stdout, "%d-%s\n", 1, "fprintf");
    printf("between\n");
    printf("%d\n", (int)fwrite("raw\n", 1, 4, stdout));
    fprintf(stderr, "%s", "");
    fflush(stdout);
    return 0;
}
