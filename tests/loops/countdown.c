/* An unsigned counter goes down by two from an even number.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    __VERIFIER_assume(x % 2 == 0);
    while (x != 0) {
        if (x == 1)
            reach_error();
        x -= 2;
    }
    return 0;
}
