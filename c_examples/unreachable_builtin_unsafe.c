/* An optimiser would use the undefined branch to delete the error before it.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x == 3)
        reach_error();
    if (x == 3)
        __builtin_unreachable();
    return 0;
}
