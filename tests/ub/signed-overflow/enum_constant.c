// C11 6.4.4.3p2: an enumeration constant is an int.
enum e { last = 2147483647 };
int main(void) {
    int one = 1;
    return last + one < 0; //~ signed-overflow
}
