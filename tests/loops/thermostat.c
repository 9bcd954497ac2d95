/* A temperature between two switching points.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int t = 20, heating = 1;
    while (__VERIFIER_nondet_int()) {
        if (t >= 25)
            heating = 0;
        if (t <= 15)
            heating = 1;
        t += heating ? 1 : -1;
    }
    if (t < 15 || t > 25)
        reach_error();
    return 0;
}
