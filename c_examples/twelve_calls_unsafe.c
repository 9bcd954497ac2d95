/* Twelve calls in a row: the refutation is a DAG, not a tree.
 * expected: unsafe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int depth;

int step(int x) {
    if (x > 1000000)
        return step(x - 1);
    return x + 1;
}

int main(void) {
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assume(x >= 0 && x < 10);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    x = step(x);
    if (x == 15)
        reach_error();
    return depth;
}
