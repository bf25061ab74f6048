// C11 6.5.2.2p10: one argument increments the pointer that the other reads.
#include <string.h>
int main(void) {
    char a[8] = "abc", b[8] = "def", *p = a;
    memcpy(p++, p == a ? b : a, 2); //~ unsequenced
    return 0;
}
