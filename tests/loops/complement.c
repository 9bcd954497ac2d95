/* What one counter gains the other loses.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), x = 0, y;
    __VERIFIER_assume(n >= 0);
    y = n;
    while (x < n) {
        x++;
        y--;
    }
    if (y != 0)
        reach_error();
    return 0;
}
