// C11 6.8.4.2: fallthrough, nested, default anywhere, jumps into loops, promoted and wide values.
#include <stdio.h>
static int plain(int x) {
    int r = 0;
    switch (x) {
    case 1:
        r += 1;
    case 2:
        r += 2;
        break;
    default:
        r += 100;
    case 3:
        r += 3;
        break;
    case -1:
        r = -1;
    }
    return r;
}
static void duff(char *to, const char *from, int count) {
    int n = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            *to++ = *from++;
        case 3:
            *to++ = *from++;
        case 2:
            *to++ = *from++;
        case 1:
            *to++ = *from++;
        } while (--n > 0);
    }
}
static int wide(unsigned long x) {
    switch (x) {
    case 0xffffffff00000000:
        return 1;
    case 5:
        return 2;
    case -1:
        return 3;
    }
    return 4;
}
static const char *range(int c) {
    switch (c) {
    case '0' ... '9':
        return "digit";
    case 'a' ... 'z':
    case 'A' ... 'Z':
        return "letter";
    }
    return "other";
}
int main(void) {
    for (int i = -2; i < 5; i++)
        printf("%d ", plain(i));
    printf("\n");
    char text[16] = {0};
    duff(text, "abcdefghijk", 11);
    printf("%s\n", text);
    printf("%d %d %d %d\n", wide(0xffffffff00000000), wide(5), wide(-1), wide(0));
    printf("%s %s %s\n", range('7'), range('Q'), range('?'));
    unsigned char c = 200;
    switch (c + 100) {
    case 44:
        printf("wrapped\n");
        break;
    case 300:
        printf("promoted\n");
    }
    signed char s = -1;
    switch (s) {
    case 255:
        printf("255\n");
        break;
    case -1:
        printf("-1\n");
    }
    for (int i = 0; i < 4; i++) {
        switch (i) {
        case 1:
            continue;
        case 2:
            switch (i + 1) {
            case 3:
                printf("inner ");
                break;
            default:
                printf("bad ");
            }
            printf("outer ");
            break;
        default:
            printf("%d ", i);
        }
        printf("after ");
    }
    printf("\n");
    switch (3)
    case 3:
        printf("single\n");
    switch (0) {
        int x;
    default:
        x = 4;
        printf("%d\n", x);
    }
    switch (1)
        ;
    return 0;
}
