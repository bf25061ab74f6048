int f(void) { return (_Bool)(1 % 0 / 0); }
int main(void) { return 0; }
