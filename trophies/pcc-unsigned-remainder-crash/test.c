/* Expected: nothing, exit status 0
   Instead:  test.c, line 5: compiler error: Cannot generate code, node 0x55b848f726e0 op % */
int a;

int main() {
    unsigned int b = 1;
    b %= 1 || a;
}
