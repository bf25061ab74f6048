// C11 6.5.2.2p6: a plain zero is an int, not a null pointer, where there is no prototype.
static int is_null();
int main(void) {
    return is_null(0); //~ call-args
}
static int is_null(p)
int *p;
{
    return p == 0;
}
