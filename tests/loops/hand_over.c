/* What the first loop counts up the second one counts down.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), x = 0, y = 0;
    __VERIFIER_assume(n >= 0);
    while (x < n) {
        x++;
        y++;
    }
    while (x > 0) {
        x--;
        y--;
    }
    if (y != 0)
        reach_error();
    return 0;
}
