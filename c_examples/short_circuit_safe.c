/* The right operand of && is evaluated only when the left holds.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    int y = 0;
    if (x > 0 && (y = 1)) {
        if (y != 1)
            reach_error();
    } else if (y != 0)
        reach_error();
    return 0;
}
