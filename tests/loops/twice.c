/* The second counter is twice the first, whether they wrap or not.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    unsigned x = 0, y = 0;
    while (__VERIFIER_nondet_int()) {
        x += 1;
        y += 2;
    }
    if (y != 2 * x)
        reach_error();
    return 0;
}
