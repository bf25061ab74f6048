// C11 6.5.3.2p4: one step too far along a list.
struct node {
    int value;
    struct node *next;
};
int main(void) {
    struct node b = {2, 0}, a = {1, &b};
    int sum = 0;
    for (struct node *p = &a;; p = p->next)
        sum += p->value; //~ null-deref
    return sum;
}
