// C11 6.5.2.2p10: two library calls that print.
#include <stdio.h>
int main(void) {
    return putchar('a') == putchar('b'); //~ call-order
}
