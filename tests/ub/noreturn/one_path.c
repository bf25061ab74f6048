// C11 6.7.4p8: one path returns.
#include <stdlib.h>
_Noreturn static void stop(int now) { if (now) exit(0); } //~ noreturn
int main(void) {
    stop(0);
    return 0;
}
