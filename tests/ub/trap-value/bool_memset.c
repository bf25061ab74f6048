// C11 6.2.6.1p5: a _Bool whose byte is neither 0 nor 1.
#include <string.h>
int main(void) {
    _Bool b;
    memset(&b, 0xff, 1);
    if (b) //~ trap-value
        return 1;
    return 0;
}
