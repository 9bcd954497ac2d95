/* Leaving and continuing a loop.
 * expected: safe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int i, hits = 0;
    for (i = 0; i < 100; i++) {
        if (i % 2)
            continue;
        if (i > 50)
            break;
        hits++;
    }
    if (i > 100 || hits > 100)
        reach_error();
    return 0;
}
