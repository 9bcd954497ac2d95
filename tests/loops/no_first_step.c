/* Without a step the counter is not yet positive.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), x = 0;
    while (x < n)
        x++;
    if (x <= 0)
        reach_error();
    return 0;
}
