/* A flag says whether a number is even.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = 0;
    int odd = 0;
    while (__VERIFIER_nondet_int()) {
        x++;
        odd = !odd;
    }
    if (odd != (int)(x & 1))
        reach_error();
    return 0;
}
