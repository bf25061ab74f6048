// C11 6.7.9p23: the order decides what is left in i.
int main(void) {
    int i;
    struct {
        int x, y;
    } s = {i = 1, i = 2}; //~ eval-order
    return i + s.x + s.y;
}
