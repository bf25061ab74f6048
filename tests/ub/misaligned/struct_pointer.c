// C11 6.3.2.3p7: a struct has the alignment of its most aligned member.
#include <stdlib.h>
struct s {
    char c;
    long l;
};
int main(void) {
    char *p = malloc(64);
    ((struct s *)(p + 4))->c = 1; //~ misaligned
    free(p);
    return 0;
}
