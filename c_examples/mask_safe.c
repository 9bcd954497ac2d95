/* A mask splits a number into two parts.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = __VERIFIER_nondet_uint();
    unsigned low = x & 15u;
    if (low >= 16u || (x & ~15u) + low != x)
        reach_error();
    return 0;
}
