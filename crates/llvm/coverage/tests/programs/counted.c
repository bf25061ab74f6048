/* Something to instrument. */
int loop(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 0)
            sum += i;
        else
            sum ^= i;
    }
    return sum;
}

int choose(int x) {
    if (x > 5)
        return loop(x);
    return -x;
}

#ifdef MANY
/* Thousands of counters, with other data beside them. */
int beside_the_counters;
volatile int sink;
#define C1(n) case n: if (sink == n) sink = n + 1; else sink = n; break;
#define C10(n) C1(n##0) C1(n##1) C1(n##2) C1(n##3) C1(n##4) C1(n##5) C1(n##6) C1(n##7) C1(n##8) C1(n##9)
#define C100(n) C10(n##0) C10(n##1) C10(n##2) C10(n##3) C10(n##4) C10(n##5) C10(n##6) C10(n##7) C10(n##8) C10(n##9)
#define C1000(n) C100(n##0) C100(n##1) C100(n##2) C100(n##3) C100(n##4) C100(n##5) C100(n##6) C100(n##7) C100(n##8) C100(n##9)
int many(int n) {
    switch (n) { C1000(1) C1000(2) C1000(3) }
    switch (n + 1000) { C1000(1) C1000(2) C1000(3) C1000(4) }
    return 0;
}
#endif
