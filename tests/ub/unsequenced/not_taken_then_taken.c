// C11 6.5p2: the first time i++ is not evaluated, the second time it is.
int main(void) {
    int i = 1, sum = 0;
    for (int round = 0; round < 2; round++)
        sum += i + (round && i++); //~ unsequenced
    return sum;
}
