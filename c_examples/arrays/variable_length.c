/* An array on the stack whose length is an input.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 < n && n <= 1000);
    int a[n];
    for (int i = 0; i < n; i++)
        a[i] = i;
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (a[z] != z || z == 3)
#else
    if (a[z] != z)
#endif
        reach_error();
    return 0;
}
