/* From the last element to the first.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = n - 1; i >= 0; i--)
        a[i] = 9;
    for (int i = 0; i < n; i++)
#ifdef BUG
        if (a[i] != 9 || i == 2)
#else
        if (a[i] != 9)
#endif
            reach_error();
    return 0;
}
