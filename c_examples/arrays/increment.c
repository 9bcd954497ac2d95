/* One more than in the other array.
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
        b[i] = a[i] + 1;
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (b[z] < a[z])
#else
    if (b[z] - a[z] != 1)
#endif
        reach_error();
    return 0;
}
