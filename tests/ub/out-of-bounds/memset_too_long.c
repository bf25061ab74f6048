// C11 7.1.4p1: the object has fewer bytes than are set.
#include <string.h>
int main(void) {
    int a[4];
    memset(a, 0, sizeof a + 1); //~ out-of-bounds
    return 0;
}
