/* Unsigned arithmetic wraps, so a sum may be smaller than its operands.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x + 1 < x)
        reach_error();
    return 0;
}
