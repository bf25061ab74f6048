// C11 6.5p2: p->next reads p, which the right side assigns.
struct node {
    struct node *next;
};
int main(void) {
    struct node a = {0}, b = {0}, *p = &a;
    p->next = p = &b; //~ unsequenced
    return 0;
}
