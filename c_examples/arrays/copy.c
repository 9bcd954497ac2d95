/* A copy has the same elements; what is copied is arbitrary.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    for (int i = 0; i < n; i++)
#ifdef BUG
        if (a[i] != b[i] || a[i] == 12345)
#else
        if (a[i] != b[i])
#endif
            reach_error();
    return 0;
}
