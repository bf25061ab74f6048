// C11 6.5.7p3: a scalar count is not converted to the lane's type before it is judged.
typedef unsigned char v8qu __attribute__((vector_size(8)));
int main(void) {
    v8qu a = {1, 2, 3, 4, 5, 6, 7, 8};
    int count = 257;
    a <<= count; //~ shift-count
    return a[0];
}
