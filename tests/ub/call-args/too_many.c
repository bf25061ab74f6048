// C11 6.5.2.2p6: more arguments than parameters, without a prototype.
static int id();
int main(void) {
    return id(1, 2); //~ call-args
}
static int id(x)
int x;
{
    return x;
}
