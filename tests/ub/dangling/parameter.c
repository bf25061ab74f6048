// C11 6.2.4p6: a parameter lives as long as the call.
static int *saved;
static void save(int x) {
    saved = &x;
}
int main(void) {
    save(5);
    return *saved; //~ dangling
}
