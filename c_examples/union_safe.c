/* A union read through its other member of the same size.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

union word {
    unsigned u;
    int i;
};

int main(void) {
    union word w;
    w.i = -1;
    if (w.u != 0xffffffffu)
        reach_error();
    return 0;
}
