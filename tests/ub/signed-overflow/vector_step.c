// GCC's C has ++ for vectors: 1 is added in the lane's type, without promotion.
typedef short v4hi __attribute__((vector_size(8)));
int main(void) {
    v4hi a = {1, 32767};
    a++; //~ signed-overflow
    return a[0];
}
