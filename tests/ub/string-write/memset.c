// C11 6.4.5p7: memset modifies the literal.
#include <string.h>
int main(void) {
    char *s = "abc";
    memset(s, 'x', 2); //~ string-write
    return 0;
}
