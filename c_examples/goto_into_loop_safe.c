/* A jump into a loop (irreducible flow).
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int i = 0;
    if (__VERIFIER_nondet_int())
        goto inside;
    while (i < 10) {
        i += 2;
inside:
        i += 2;
    }
    if (i > 12)
        reach_error();
    return 0;
}
