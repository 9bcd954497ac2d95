/* A bit-field wraps at its width and leaves its neighbour alone.
 * expected: unsafe */
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
    f.high = 3;
    f.low++;
    if (f.low == 0 && f.high == 3)
        reach_error();
    return 0;
}
