/* The checked addition says when it wraps.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int sum;
    if (!__builtin_add_overflow(a, b, &sum) && a > 0 && b > 0 && sum < a)
        reach_error();
    return 0;
}
