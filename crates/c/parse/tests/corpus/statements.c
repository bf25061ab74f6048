int g;
int run(int n)
{
    int i, total = 0;
    for (i = 0; i < n; i++) { if (i % 2) continue; else if (i > 50) break; total += i; }
    for (int j = 0, k = 1; j < k; ) j++;
    while (n-- > 0) ;
    do { total--; } while (total > 100);
    switch (n) {
    case 0: total = 1;
    case 1 ... 5: { int y = 2; total += y; break; }
    default: total = 3; break;
    case -7: goto out;
    }
again:
    if (total < 0) goto again;
    { struct local { int x; } v = { 4 }; total += v.x; typedef int number; number q = 1; total += q; }
out:
    return total;
}
void nothing(void) { return; }
int main(void) { nothing(); return run(3); }
