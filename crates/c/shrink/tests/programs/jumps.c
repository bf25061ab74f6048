int printf(const char *, ...);

static int total;

static int classify(int n)
{
    switch (n & 3) {
    case 0:
        total += 2;
        break;
    case 1:
        if (total > 50)
            break;
        total += 3;
    case 2:
        total *= 2;
        break;
    default:
        total -= 1;
    }
    return total & 7;
}

static int search(const int *data, int length, int wanted)
{
    int at = 0;
    while (1) {
        if (at >= length)
            goto missing;
        if (data[at] == wanted)
            goto found;
        at++;
        continue;
    }
found:
    return at;
missing:
    total++;
    return -1;
}

int main(void)
{
    int data[6] = {4, 8, 15, 16, 23, 42};
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        int kind = classify(i);
        if (kind == 9)
            sum = 1000;
        else
            sum += kind;
    }
    for (int i = 7; i > 2; i -= 2) {
        if (i == 5)
            continue;
        sum += i;
    }
    do {
        int step = 3;
        sum += step;
        if (sum > 100)
            break;
    } while (sum < 20);
    goto skip;
    sum = 0;
skip:
    sum += search(data, 6, 16) + search(data, 6, 5);
    sum += ({ int twice = sum * 2; twice + 1; });
    { int sum = 5; total += sum; }
unused:
    printf("%d %d\n", sum, total);
    return 0;
}
