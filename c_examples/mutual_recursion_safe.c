/* Two functions that call each other.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int is_odd(unsigned n);

int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }

int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

int main(void) {
    unsigned n = __VERIFIER_nondet_uint();
    int e = is_even(n), o = is_odd(n);
    if (e != 0 && e != 1)
        reach_error();
    if (o != 0 && o != 1)
        reach_error();
    return 0;
}
