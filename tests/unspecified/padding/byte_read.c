// C11 6.2.6.1p6: the bytes between c and i have no specified value.
#include <stdio.h>
struct s {
    char c;
    int i;
};
int main(void) {
    struct s s;
    s.c = 1;
    s.i = 2;
    unsigned char *p = (unsigned char *)&s;
    printf("%d\n", p[1]); //~ padding
    return 0;
}
