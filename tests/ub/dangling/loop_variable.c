// C11 6.8.5p5: the variable of a for loop lives as long as the loop.
int main(void) {
    int *p = 0;
    for (int i = 0; i < 3; i++)
        p = &i;
    *p = 1; //~ dangling
    return 0;
}
