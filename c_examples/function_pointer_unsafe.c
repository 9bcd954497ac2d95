/* A call through a pointer may choose the wrong function.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int twice(int x) { return x + x; }
static int same(int x) { return x; }

int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? twice : same;
    if (f(7) == 14)
        reach_error();
    return 0;
}
