/* A summary of a recursive function.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int f(int n) {
    if (n <= 0)
        return 0;
    return f(n - 1) + 1;
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 10000);
    if (f(n) != n)
        reach_error();
    return 0;
}
