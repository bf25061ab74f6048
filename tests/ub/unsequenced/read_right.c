// C11 6.5p2: a side effect and a read of i.
int main(void) {
    int i = 1;
    return i++ + i; //~ unsequenced
}
