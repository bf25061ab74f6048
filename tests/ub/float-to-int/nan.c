// C11 6.3.1.4p1: a NaN has no integral part.
int main(void) {
    double zero = 0.0;
    double nan = zero / zero;
    return (int)nan; //~ float-to-int
}
