// C11 6.2.6.1p6: storing to a member may change the padding, which was zero before.
#include <string.h>
struct s {
    short s;
    int i;
};
int main(void) {
    struct s s;
    memset(&s, 0, sizeof s);
    struct s t = {1, 2};
    s = t;
    return ((char *)&s)[2]; //~ padding
}
