/* Two branches share what a third counter counts.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), a = 0, b = 0;
    for (unsigned i = 0; i < n; i++) {
        if (__VERIFIER_nondet_int())
            a++;
        else
            b++;
    }
    if (a + b != n)
        reach_error();
    return 0;
}
