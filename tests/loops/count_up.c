/* A counter ends where its limit is.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int(), x = 0;
    __VERIFIER_assume(n >= 0);
    while (x < n)
        x++;
    if (x != n)
        reach_error();
    return 0;
}
