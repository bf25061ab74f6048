// C11 5.1.2.3p2: reading a volatile object is a side effect; here are two, unsequenced.
volatile int v = 1;
int main(void) {
    return v + v; //~ unsequenced
}
