/* Every element is at least its predecessor, so any two are in order.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        a[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(i == 0 || a[i - 1] <= a[i]);
    }
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
    int y = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= y && y <= z);
#ifdef BUG
    if (a[y] >= a[z])
#else
    if (a[y] > a[z])
#endif
        reach_error();
    return 0;
}
