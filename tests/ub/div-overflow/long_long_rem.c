// C11 6.5.5p6: the same in long long.
int main(void) {
    long long x = -9223372036854775807LL - 1;
    signed char y = -1;
    return (int)(x % y); //~ div-overflow
}
