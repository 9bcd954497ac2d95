/* An uninitialised variable has one arbitrary but fixed value.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x;
    int y = x;
    if (x != y)
        reach_error();
    return 0;
}
