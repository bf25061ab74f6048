// C11 6.5.5p6 in a lane of type signed char: -128 / -1 is no signed char, so neither is the remainder.
typedef signed char v8qi __attribute__((vector_size(8)));
int main(void) {
    v8qi a = {1, -128};
    v8qi b = {1, -1, 1, 1, 1, 1, 1, 1};
    return (a % b)[0]; //~ div-overflow
}
