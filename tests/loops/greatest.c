/* A running maximum.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int most = 0, last = 0;
    while (__VERIFIER_nondet_int()) {
        last = __VERIFIER_nondet_int();
        if (last > most)
            most = last;
    }
    if (most < last || most < 0)
        reach_error();
    return 0;
}
