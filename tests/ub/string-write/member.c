// C11 6.4.5p7: the pointer is in a struct.
struct s {
    char *name;
};
static struct s s = {"abc"};
int main(void) {
    s.name[1] = 'x'; //~ string-write
    return 0;
}
