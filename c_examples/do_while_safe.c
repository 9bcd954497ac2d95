/* The body of do-while runs at least once.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int i = 0;
    do {
        i++;
    } while (i < n);
    if (i < 1)
        reach_error();
    return 0;
}
