// C11 6.7.3p6: memcpy modifies a const object.
#include <string.h>
int main(void) {
    const int x = 1;
    int y = 2;
    memcpy((void *)&x, &y, sizeof x); //~ const-write
    return 0;
}
