/* In the second half of a loop another counter follows.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 0, y = 5000;
    while (x < 10000) {
        if (x >= 5000)
            y++;
        x++;
    }
    if (y != 10000)
        reach_error();
    return 0;
}
