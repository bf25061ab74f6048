/* Expected: FFFFFFF4
   Instead:  line 1: "FFFFFFFD" in place of "FFFFFFF4" */
int printf(const char *, ...);
int b;

int main() {
    int *c = &b, d;
    for (d = 1; d <= 4; d += 1)
        *c -= 3;
    printf("%X", b);
}
