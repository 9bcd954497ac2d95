/* Added element by element.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[SIZE], c[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        a[i] = __VERIFIER_nondet_int();
        b[i] = __VERIFIER_nondet_int();
        __VERIFIER_assume(-1000 <= a[i] && a[i] <= 1000 && -1000 <= b[i] && b[i] <= 1000);
    }
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (c[z] != a[z] + b[z] || c[z] == 2000)
#else
    if (c[z] != a[z] + b[z])
#endif
        reach_error();
    return 0;
}
