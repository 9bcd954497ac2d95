/* Shifts by constants are multiplications and divisions.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x < 1000);
    if ((x << 2) != 4 * x || (x >> 1) > 499)
        reach_error();
    return 0;
}
