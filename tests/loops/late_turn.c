/* The second phase begins one step late.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 0, y = 50;
    while (x < 100) {
        if (x > 50)
            y++;
        x++;
    }
    if (y != 100)
        reach_error();
    return 0;
}
