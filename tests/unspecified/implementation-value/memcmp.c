// C11 7.24.4.1p3: only the sign of memcmp's value is specified.
#include <string.h>
int main(void) {
    return memcmp("abd", "abb", 3) == 2; //~ implementation-value
}
