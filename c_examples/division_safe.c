/* Quotient and remainder are bounded.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    __VERIFIER_assume(a >= 0 && a < 10000 && b > 0 && b < 100);
    if (a % b >= b || a / b > a)
        reach_error();
    return 0;
}
