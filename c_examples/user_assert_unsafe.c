/* A user-defined __VERIFIER_assert.
 * expected: unsafe (bv only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

void __VERIFIER_assert(int condition) {
    if (!condition) {
        reach_error();
    }
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = x * x;
    __VERIFIER_assert(y != 49);
    return 0;
}
