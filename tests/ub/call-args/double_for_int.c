// C11 6.5.2.2p6: the promoted argument is a double, the parameter an int.
static int id();
int main(void) {
    return id(1.0); //~ call-args
}
static int id(x)
int x;
{
    return x;
}
