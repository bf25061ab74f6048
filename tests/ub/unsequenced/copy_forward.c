// C11 6.5p2: both sides increment the same pointer.
int main(void) {
    char a[4] = "abc";
    char *p = a;
    *p++ = *p++; //~ unsequenced
    return 0;
}
