// C11 6.5.16p3: the operands of an assignment are not ordered.
static int counter;
static int next(void) {
    return counter++; //~ call-order
}
int main(void) {
    int a[3] = {0};
    a[next()] = next();
    return a[0];
}
