// C11 6.7.9p23: the expressions of an initialiser list are indeterminately sequenced.
int main(void) {
    int i = 1;
    int a[2] = {i++, i}; //~ eval-order
    return a[1];
}
