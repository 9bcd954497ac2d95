/* 128-bit integers.
 * expected: safe
 * bits: 64 */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned __int128 x = __VERIFIER_nondet_uint();
    unsigned __int128 y = x << 64;
    if (y >> 64 != x)
        reach_error();
    return 0;
}
