/* Two recursive calls; the error needs fib(6).
 * expected: unsafe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int fib(int n) {
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 8 && fib(n) == 8)
        reach_error();
    return 0;
}
