/* Expected: nothing, exit status 0
   Instead:  the program does not end */

int main() {
    for (int a = 0; a; a++)
        for (a = 0; a; a++)
            0;
    for (int b = 0; b < 1; b++)
        ;
}
