/* Expected: 1
   Instead:  prints "0" for "1" (line 1) */

int a(int b) {
    if (b <= 0)
        return 26214;
    return -64 * (unsigned int)a(b - 1);
}
int printf(const char *, ...);

int main() {
    printf("%x", a(4) <= a(3));
}
