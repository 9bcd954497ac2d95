/* A loop made with goto.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int i = 0;
again:
    i++;
    if (i < 5)
        goto again;
    if (i == 5)
        reach_error();
    return 0;
}
