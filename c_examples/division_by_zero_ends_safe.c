/* A division by zero ends the run, so the check behind it cannot be reached.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = 100 / a;
    if (a == 0)
        reach_error();
    return b;
}
