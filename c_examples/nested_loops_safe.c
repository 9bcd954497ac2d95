/* Two nested loops.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n <= 1000);
    int count = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 3; j++)
            count++;
    if (count < n)
        reach_error();
    return 0;
}
