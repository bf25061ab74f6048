// C11 6.7.3p6: memset modifies a const object.
#include <string.h>
static const int table[2] = {1, 2};
int main(void) {
    memset((void *)table, 0, sizeof table); //~ const-write
    return 0;
}
