/* The contents of two arrays change places.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        b[i] = 2;
    }
    for (int i = 0; i < n; i++) {
        int t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (a[z] != 2 || b[z] != 2)
#else
    if (a[z] != 2 || b[z] != 1)
#endif
        reach_error();
    return 0;
}
