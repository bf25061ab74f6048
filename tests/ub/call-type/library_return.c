// C11 7.1.4p2: a program may declare a library function itself, but only with its type.
void printf();
int main(void) {
    printf("x"); //~ call-type
    return 0;
}
