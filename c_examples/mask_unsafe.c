/* Exclusive or with a constant, solved for its input.
 * expected: unsafe (bv only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (((x ^ 0x55u) & 0xffu) == 0xaau)
        reach_error();
    return 0;
}
