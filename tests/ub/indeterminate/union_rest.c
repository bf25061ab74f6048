// C11 6.2.6.1p7: an initialiser of a smaller member says nothing about the other bytes.
union both {
    short small;
    int large;
};
int main(void) {
    union both u = {(short)-6145};
    if (u.small != -6145)
        return 1;
    return u.large > 5; //~ indeterminate
}
