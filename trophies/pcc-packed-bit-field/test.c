/* Expected: 0
   Instead:  prints "70000" for "0" (line 1) */
int printf(const char *, ...);
struct b {
    int c : 22;
    int d;
} __attribute__((packed));
struct b e = {0, 7};

int main() {
    printf("%X", e.c);
    return 0;
}
