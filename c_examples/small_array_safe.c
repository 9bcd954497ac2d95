/* An array with constant indices is a handful of scalars.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a[4];
    a[0] = 1;
    a[1] = __VERIFIER_nondet_int();
    a[2] = a[0] + a[0];
    a[3] = a[1];
    if (a[2] != 2 || a[3] != a[1])
        reach_error();
    return 0;
}
