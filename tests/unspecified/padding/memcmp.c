// C11 6.2.6.1p6 (and 7.24.4.1p2, note): memcmp compares the padding too.
#include <string.h>
struct s {
    char c;
    int i;
};
int main(void) {
    struct s s = {1, 2}, t = {1, 2};
    return memcmp(&s, &t, sizeof s); //~ padding
}
