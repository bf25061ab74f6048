/* Expected: 1
   Instead:  prints "0" for "1" (line 1) */
int printf(const char *, ...);

int main() {
    printf("%x", (4294967295U & -2147483647) == -2147483647);
    return 0;
}
