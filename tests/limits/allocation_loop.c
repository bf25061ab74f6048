// The memory limit ends this, or malloc returns null: never an exhausted host.
// outcome: out-of-memory or finished
#include <stdlib.h>
int main(void) {
    unsigned n = 0;
    while (1) {
        char *p = malloc(1 << 20);
        if (!p)
            return 0;
        p[n % 1000] = 1;
        n++;
    }
}
