/* A relation between two counters.
 * expected: safe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    unsigned x = 0, y = 0;
    __VERIFIER_assume(n < 100000);
    while (x < n) {
        x++;
        y += 2;
    }
    if (y != 2 * n)
        reach_error();
    return 0;
}
