/* Steps of three miss a limit that is no multiple.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 0;
    while (x < 100)
        x += 3;
    if (x != 100)
        reach_error();
    return 0;
}
