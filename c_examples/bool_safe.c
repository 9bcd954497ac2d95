/* A _Bool is 0 or 1 whatever is assigned to it.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    _Bool b = __VERIFIER_nondet_int();
    if (b != 0 && b != 1)
        reach_error();
    if (b + b > 2)
        reach_error();
    return 0;
}
