/* A buffer of eight takes a ninth.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned put = 0, taken = 0;
    while (__VERIFIER_nondet_int()) {
        if (put - taken <= 8)
            put++;
        else if (put != taken)
            taken++;
    }
    if (put - taken > 8)
        reach_error();
    return 0;
}
