// The memory limit ends this, or malloc returns null: never an exhausted host.
// outcome: out-of-memory or finished
#include <stdlib.h>
int main(void) {
    char *p = malloc(1UL << 40);
    return p ? 1 : 0;
}
