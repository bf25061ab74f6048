// C11 6.3.1.4p1: an infinity is not finite.
int main(void) {
    float huge = 1e30f;
    float inf = huge * huge;
    long l = (long)inf; //~ float-to-int
    return l != 0;
}
