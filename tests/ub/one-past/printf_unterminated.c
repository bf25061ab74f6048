// C11 7.21.6.1p8: without a precision, the array must contain a null character.
#include <stdio.h>
int main(void) {
    char a[3] = {'a', 'b', 'c'};
    printf("%s\n", a); //~ one-past
    return 0;
}
