// C11 6.5p2: a read of i and a side effect.
int main(void) {
    int i = 1;
    return i + i++; //~ unsequenced
}
