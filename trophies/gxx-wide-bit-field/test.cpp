// `-s.m` has the type of the bit-field's declaration, unsigned long: a bit-field that does not fit
// int or unsigned int is not promoted ([conv.prom]). Expected output: fffffffffffffffb fffffffffffffffa
extern "C" int printf(const char *, ...);
struct S {
    unsigned long m : 58;
};
S s = {5};
int main() { printf("%lx %lx\n", -s.m, ~s.m); }
