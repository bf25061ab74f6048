// C11 6.5.2.2p6: the argument is a long, the parameter an int.
static int id();
int main(void) {
    return id(1L); //~ call-args
}
static int id(x)
int x;
{
    return x;
}
