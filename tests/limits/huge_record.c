// A record that no memory holds is reported, not laid out byte by byte.
// outcome: out-of-memory
struct { int a[2147483647][3]; } s;
int main(void) {
    return s.a[0][0];
}
