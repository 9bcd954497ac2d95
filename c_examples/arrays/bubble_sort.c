/* Bubble sort: after a round without a swap all elements are in order.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int swapped = 1;
    while (swapped) {
        swapped = 0;
        for (int i = 1; i < n; i++)
            if (a[i - 1] > a[i]) {
                int t = a[i];
                a[i] = a[i - 1];
                a[i - 1] = t;
#ifdef BUG
                swapped = i == 1;
#else
                swapped = 1;
#endif
            }
    }
    for (int i = 1; i < n; i++)
        if (a[i - 1] > a[i])
            reach_error();
    return 0;
}
