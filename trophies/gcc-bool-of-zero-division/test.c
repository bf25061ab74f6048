/* Expected: nothing, exit status 0
   Instead:  func.c:5:23: internal compiler error: in gimplify_expr, at gimplify.cc:15905 */
int a;

int main() {
    while (0)
        a = (_Bool)(0 / 0);
}
