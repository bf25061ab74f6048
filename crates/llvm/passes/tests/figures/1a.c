/* Figure 1(a) of CTOS, LLVM bug 41294, as printed. Only `main` is new: code is executed from there. */
int c;
struct m {
  unsigned : 20;
  signed a;
  signed b
};
struct m d() {}
e() {
  for (; c; c++)
    d();
}
int main(void) {
  e();
  return 0;
}
