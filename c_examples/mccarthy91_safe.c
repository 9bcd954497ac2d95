/* McCarthy's function is 91 below 102.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int f(int n) { return n > 100 ? n - 10 : f(f(n + 11)); }

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n <= 100);
    if (f(n) != 91)
        reach_error();
    return 0;
}
