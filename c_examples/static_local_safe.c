/* A static local keeps its value.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static int next(void) {
    static int state = 5;
    state += 2;
    return state;
}

int main(void) {
    int a = next();
    int b = next();
    if (a != 7 || b != 9)
        reach_error();
    return 0;
}
