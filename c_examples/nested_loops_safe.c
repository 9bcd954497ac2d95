/* Two nested loops.
 * expected: safe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0);
    int rows = 0;
    for (int i = 0; i < n; i++) {
        int j = 0;
        while (j < n)
            j++;
        if (j != n)
            reach_error();
        rows++;
    }
    if (rows != n)
        reach_error();
    return 0;
}
