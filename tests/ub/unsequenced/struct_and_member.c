// C11 6.5p2: assigning the struct writes the member that the other operand reads.
struct s {
    int x, y;
};
int main(void) {
    struct s s = {1, 2}, t = {3, 4};
    return (s = t).x + s.y; //~ unsequenced
}
