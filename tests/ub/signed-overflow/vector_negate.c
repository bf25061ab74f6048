// C11 6.5p5 in a lane of type short: -(-32768).
typedef short v4hi __attribute__((vector_size(8)));
int main(void) {
    v4hi a = {1, -32767 - 1};
    return (-a)[0]; //~ signed-overflow
}
