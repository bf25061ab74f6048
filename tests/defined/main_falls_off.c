// C11 5.1.2.2.3: reaching the end of main returns 0.
#include <stdio.h>
int main(void) {
    printf("done\n");
}
