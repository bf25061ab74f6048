// C11 6.5.2.2p6: fewer arguments than parameters, without a prototype.
static int add();
int main(void) {
    return add(1); //~ call-args
}
static int add(x, y)
int x, y;
{
    return x + y;
}
