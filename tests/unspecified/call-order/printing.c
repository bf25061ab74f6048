// C11 6.5.2.2p10: both calls write to the same stream.
#include <stdio.h>
static int say(int x) {
    printf("%d\n", x); //~ call-order
    return x;
}
int main(void) {
    return say(1) == say(2);
}
