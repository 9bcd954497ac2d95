/* Filled by a function that is given a pointer.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[SIZE];

static void fill(int *p, int n, int value) {
    for (int i = 0; i < n; i++)
        p[i] = value;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    fill(a, n, 5);
    fill(b, n, 6);
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (a[z] == b[z] - 1)
#else
    if (a[z] != 5 || b[z] != 6)
#endif
        reach_error();
    return 0;
}
