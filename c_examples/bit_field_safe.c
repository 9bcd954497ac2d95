/* Bit-fields hold what their width allows.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

struct flags {
    unsigned low : 3;
    signed high : 5;
};

int main(void) {
    struct flags f;
    f.low = __VERIFIER_nondet_uint();
    f.high = __VERIFIER_nondet_int();
    if (f.low > 7 || f.high > 15 || f.high < -16)
        reach_error();
    return 0;
}
