/* All elements move by one place.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(1 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        a[i] = __VERIFIER_nondet_int();
        b[i] = a[i];
    }
    for (int i = 0; i < n - 1; i++)
        b[i] = b[i + 1];
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n - 1);
#ifdef BUG
    if (b[z] == a[z])
#else
    if (b[z] != a[z + 1])
#endif
        reach_error();
    return 0;
}
