/* Whatever branch is taken, the first counter stays ahead.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 0, y = 0;
    while (x < 1000000 && __VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int()) {
            x += 2;
            y += 1;
        } else if (__VERIFIER_nondet_int()) {
            x += 3;
        }
    }
    if (x < y)
        reach_error();
    return 0;
}
