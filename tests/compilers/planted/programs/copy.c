int printf(const char *, ...);
struct S {
    int first[4], last;
} from = {{1}, NUMBER}, to;

NOISE

int main(void) {
    to = from;
    printf("%d %u\n", to.last, noise(NUMBER));
    return 0;
}
