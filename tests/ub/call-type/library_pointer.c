// C11 6.5.2.2p9: the pointer has another type than the library function that it points to.
#include <stdio.h>
int main(void) {
    int (*print)(const char *) = (int (*)(const char *))printf;
    return print("x"); //~ call-type
}
