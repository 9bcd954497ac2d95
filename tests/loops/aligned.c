/* Addresses in steps of eight bytes.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned at = 4096;
    while (__VERIFIER_nondet_int())
        at += 8 * (__VERIFIER_nondet_uint() & 15);
    if (at & 7)
        reach_error();
    return 0;
}
