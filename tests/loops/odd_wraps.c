/* An odd number stays odd when it wraps.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = 1;
    while (__VERIFIER_nondet_int())
        x += 6;
    if (x % 2 == 0)
        reach_error();
    return 0;
}
