/* An unsigned step of its half wraps to zero.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = 0x40000000u;
    while (__VERIFIER_nondet_int())
        x += 0x40000000u;
    if (x == 0)
        reach_error();
    return 0;
}
