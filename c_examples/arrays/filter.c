/* Only positive elements are kept.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    int kept = 0;
    for (int i = 0; i < n; i++) {
        int x = __VERIFIER_nondet_int();
        if (x > 0)
            a[kept++] = x;
    }
    int z = __VERIFIER_nondet_int();
#ifdef BUG
    __VERIFIER_assume(0 <= z && z <= kept && z < SIZE);
#else
    __VERIFIER_assume(0 <= z && z < kept);
#endif
    if (a[z] <= 0)
        reach_error();
    return 0;
}
