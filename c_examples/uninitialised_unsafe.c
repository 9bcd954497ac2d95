/* A local of a loop body is arbitrary again in each iteration.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    for (int i = 0; i < 3; i++) {
        int x;
        if (i == 2 && x == 42)
            reach_error();
        x = 0;
    }
    return 0;
}
