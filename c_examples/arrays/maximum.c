/* No element is greater than the maximum.
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
    int max = a[0];
    for (int i = 1; i < n; i++)
        if (a[i] > max)
            max = a[i];
    for (int i = 0; i < n; i++)
#ifdef BUG
        if (a[i] >= max)
#else
        if (a[i] > max)
#endif
            reach_error();
    return 0;
}
