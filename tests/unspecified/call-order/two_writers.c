// C11 6.5.2.2p10: the calls are indeterminately sequenced, and both write g.
#include <stdio.h>
static int g;
static int set(int x) {
    g = x; //~ call-order
    return x;
}
int main(void) {
    int sum = set(1) + set(2);
    printf("%d %d\n", sum, g);
    return 0;
}
