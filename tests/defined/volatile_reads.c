// C11 6.5p2 by the letter: reading a volatile object is a side effect (5.1.2.3p2), so two reads of
// one in an expression are unsequenced side effects. No order of them gives another result, no
// compiler takes advantage, and Csmith's programs do it: the machine lets two reads pass.
#include <stdio.h>
volatile int v = 1;
static int add(int x, int y) {
    return x + y;
}
int main(void) {
    printf("%d %d\n", v + v, add(v, v));
    return 0;
}
