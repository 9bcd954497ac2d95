/* The inner loop begins where the outer one is.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= 100000);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            if (j < 0 || j >= n || i > j)
                reach_error();
    return 0;
}
