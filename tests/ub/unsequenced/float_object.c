// C11 6.5p2: floating objects are scalar objects too.
int main(void) {
    double d = 1.5;
    return d++ < d; //~ unsequenced
}
