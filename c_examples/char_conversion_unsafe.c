/* A conversion to a narrow signed type changes the value.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    signed char c = (signed char)x;
    if (x == 200 && c < 0)
        reach_error();
    return 0;
}
