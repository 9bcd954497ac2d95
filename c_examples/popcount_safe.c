/* A bit-counting intrinsic.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint() & 7u;
    if (__builtin_popcount(x) > 3)
        reach_error();
    return 0;
}
