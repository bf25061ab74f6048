/* Figure 1(b) of CTOS, LLVM bug 41720. There it is `void main`, which leaves the status open; a program
   that is compared must have one. */
#include <stdio.h>
int a = 0;
int d() {
  int e = 2;
  for (a = 0; a <= 8; a++);
  return e;
}
int main() {
  int f = 0;
  d();
  printf("%d\n", a);
  return 0;
}
