// C11 7.1.1p1: a string ends with a null character; this array has none.
#include <string.h>
int main(void) {
    char a[3] = {'a', 'b', 'c'};
    return (int)strlen(a); //~ one-past
}
