// C11 7.1.4p2: library functions that the program declares itself, with their types.
typedef unsigned long size;
enum sign { NEGATIVE = -1, POSITIVE = 1 };
extern int printf(const char *restrict, ...);
extern int snprintf(char *restrict, size, const char *restrict, ...);
void *memcpy();
extern size strlen(const char *const text);
void *malloc(__SIZE_TYPE__);
int puts(), putchar();
void free(void *);
extern double fabs(double);
extern float fabsf(float);
long labs(const long);
struct file;
int fflush(struct file *);
_Noreturn void exit(int);
static size (*length)(const char *) = strlen;
static int (*print)(const char *restrict, ...) = printf;
int main() {
    char *text = malloc(6);
    memcpy(text, "hello", 6ul);
    print("%s %lu %ld %g %g\n", text, length(text), labs(-3), fabs(-1.5), (double)fabsf(-2.5f));
    char copy[3];
    int would = snprintf(copy, sizeof copy, "%s", text);
    printf("%s %d\n", copy, would);
    free(text);
    puts("end");
    putchar(POSITIVE + '0');
    putchar('\n');
    fflush(0);
    exit(0);
}
