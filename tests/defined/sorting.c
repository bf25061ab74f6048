// Sorting, searching and permuting, with pointers and indices.
#include <stdio.h>
#include <string.h>
static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
static void quick(int *lo, int *hi) {
    if (hi - lo < 2)
        return;
    int pivot = lo[(hi - lo) / 2], *i = lo, *j = hi - 1;
    for (;;) {
        while (*i < pivot)
            i++;
        while (*j > pivot)
            j--;
        if (i >= j)
            break;
        swap(i++, j--);
    }
    quick(lo, i);
    quick(i, hi);
}
static void merge_sort(int *v, int n, int *scratch) {
    if (n < 2)
        return;
    int half = n / 2;
    merge_sort(v, half, scratch);
    merge_sort(v + half, n - half, scratch);
    memcpy(scratch, v, n * sizeof *v);
    for (int i = 0, j = half, k = 0; k < n; k++)
        v[k] = j >= n || (i < half && scratch[i] <= scratch[j]) ? scratch[i++] : scratch[j++];
}
static int search(const int *v, int n, int x) {
    int lo = 0, hi = n;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (v[mid] < x)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && v[lo] == x ? lo : -1;
}
static int permute(int *v, int n, int k) {
    if (k == n)
        return v[0] < v[n - 1];
    int count = 0;
    for (int i = k; i < n; i++) {
        swap(&v[k], &v[i]);
        count += permute(v, n, k + 1);
        swap(&v[k], &v[i]);
    }
    return count;
}
int main(void) {
    int a[50], b[50], scratch[50];
    unsigned seed = 1;
    for (int i = 0; i < 50; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i] = b[i] = (int)(seed >> 16 & 0x7fff) % 100;
    }
    quick(a, a + 50);
    merge_sort(b, 50, scratch);
    printf("%d\n", memcmp(a, b, sizeof a));
    for (int i = 0; i < 50; i += 7)
        printf("%d ", a[i]);
    printf("\n%d %d\n", search(a, 50, a[20]) <= 20, search(a, 50, 1000));
    int v[5] = {1, 2, 3, 4, 5};
    printf("%d\n", permute(v, 5, 0));
    return 0;
}
