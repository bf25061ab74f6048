// C11 6.5.2.5p4: a compound literal of const type is a const object.
int main(void) {
    int *p = (int *)(const int[]){1, 2};
    p[0] = 3; //~ const-write
    return 0;
}
