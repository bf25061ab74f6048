// C11 6.5.7p4 in a lane of type short.
typedef short v4hi __attribute__((vector_size(8)));
int main(void) {
    v4hi a = {1, 2, 3, 0x4000};
    return (a << 1)[0]; //~ shift-overflow
}
