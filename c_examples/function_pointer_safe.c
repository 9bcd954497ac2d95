/* A call through a pointer to one of two known functions.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int twice(int x) { return x + x; }
static int same(int x) { return x; }

int main(void) {
    int (*f)(int) = __VERIFIER_nondet_int() ? twice : same;
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && x < 1000);
    int y = f(x);
    if (y != x && y != 2 * x)
        reach_error();
    return 0;
}
