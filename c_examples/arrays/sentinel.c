/* A search that ends at a sentinel needs no bound.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE + 1];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    a[n] = 0;
    int i = 0;
    while (a[i] != 0)
        i++;
#ifdef BUG
    if (i >= n)
#else
    if (i > n)
#endif
        reach_error();
    return 0;
}
