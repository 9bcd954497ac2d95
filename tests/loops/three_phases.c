/* Up, level, down: a height is never left below the ground.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int t = 0, height = 0;
    while (t < 3000) {
        if (t < 1000)
            height++;
        else if (t >= 2000)
            height--;
        t++;
    }
    if (height != 0)
        reach_error();
    return 0;
}
