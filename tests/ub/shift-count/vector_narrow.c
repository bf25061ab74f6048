// C11 6.5.7p3: the width is the lane's, 8, not that of int.
typedef unsigned char v8qu __attribute__((vector_size(8)));
int main(void) {
    v8qu a = {1, 2, 3, 4, 5, 6, 7, 8};
    return (a << a)[0]; //~ shift-count
}
