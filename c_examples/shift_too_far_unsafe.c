/* A shift by the width or more gives an arbitrary value; an optimiser would delete this error.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 64);
    if ((1 << n) == 0)
        reach_error();
    return 0;
}
