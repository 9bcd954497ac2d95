/* The inner loop goes one further than the outer.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= 1000);
    for (int i = 0; i < n; i++)
        for (int j = i; j <= n; j++)
            if (j >= n)
                reach_error();
    return 0;
}
