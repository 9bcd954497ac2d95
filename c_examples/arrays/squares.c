/* Elements that are polynomials of their index, changed in place.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 1000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        a[i] = i * i + 2;
#ifdef BUG
    for (int i = 1; i < n; i++)
#else
    for (int i = 0; i < n; i++)
#endif
        a[i] = a[i] - 2;
    for (int i = 0; i < n; i++)
        if (a[i] != i * i)
            reach_error();
    return 0;
}
