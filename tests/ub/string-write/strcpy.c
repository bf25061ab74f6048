// C11 6.4.5p7: strcpy modifies the literal.
#include <string.h>
int main(void) {
    char *s = "abcdef";
    strcpy(s, "xyz"); //~ string-write
    return 0;
}
