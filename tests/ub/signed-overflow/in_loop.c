// C11 6.5p5: the sum fits for many iterations, then not any more.
int main(void) {
    int sum = 0;
    for (int i = 0; i < 100000; i++)
        sum += i; //~ signed-overflow
    return sum != 0;
}
