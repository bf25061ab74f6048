// C11 6.2.6.1p6: a sum over all bytes of a struct with padding at its end.
struct s {
    long l;
    char c;
};
int main(void) {
    struct s s = {1, 2};
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof s; i++)
        sum += ((unsigned char *)&s)[i]; //~ padding
    return sum == 3;
}
