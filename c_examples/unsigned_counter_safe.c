/* An unsigned counter runs far; its invariant is one comparison.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned i = 0;
    while (i < 0x0fffffffu)
        i++;
    if (i < 0x0fffffffu)
        reach_error();
    return 0;
}
