/* Two elements at a time.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[2 * SIZE + 2];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++) {
        a[2 * i] = 1;
        a[2 * i + 1] = 2;
    }
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (a[z] + a[z + 1] != 2)
#else
    if (a[2 * z] + a[2 * z + 1] != 3)
#endif
        reach_error();
    return 0;
}
