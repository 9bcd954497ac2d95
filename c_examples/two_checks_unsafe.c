/* Two checks, one of them violated.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 5 && x < 5)
        reach_error();
    if (x == 6)
        reach_error();
    return 0;
}
