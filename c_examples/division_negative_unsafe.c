/* A remainder takes the sign of the dividend.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int a = __VERIFIER_nondet_int();
    if (a % 3 == -2)
        reach_error();
    return 0;
}
