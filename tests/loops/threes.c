/* Steps of three below a limit.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 0;
    while (x < 90000 && __VERIFIER_nondet_int())
        x += 3;
    if (x % 3 != 0)
        reach_error();
    return 0;
}
