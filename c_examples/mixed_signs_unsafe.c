/* The usual conversions turn -1 into the largest unsigned value.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a = -1;
    unsigned b = __VERIFIER_nondet_uint();
    if (b == 1 && a > b)
        reach_error();
    return 0;
}
