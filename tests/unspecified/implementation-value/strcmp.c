// C11 7.24.4.2p3: only the sign of strcmp's value is specified.
#include <stdio.h>
#include <string.h>
int main(void) {
    const char *a = "a", *c = "c";
    printf("%d\n", strcmp(a, c)); //~ implementation-value
    return 0;
}
