/* A counter stops at its greatest value.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned char x = 250;
    while (__VERIFIER_nondet_int()) {
        if (x < 255)
            x++;
    }
    if (x < 250)
        reach_error();
    return 0;
}
