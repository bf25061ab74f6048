/* Expected: 0
   Instead:  line 1: "FFFFACD0" in place of "0" */
int printf(const char *, ...);
const volatile int a;

void b(int c) {
}

int main() {
    b(a);
    printf("%X", a);
}
