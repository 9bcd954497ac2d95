/* Only the largest unsigned value wraps when one is added.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    if (x + 1 < x && x != 4294967295u)
        reach_error();
    return 0;
}
