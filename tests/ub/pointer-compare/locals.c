// C11 6.5.8p5: two variables are not parts of one object.
int main(void) {
    int a = 1, b = 2;
    return &a < &b; //~ pointer-compare
}
