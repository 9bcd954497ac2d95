/* One of three branches gives away the lead.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int x = 1, y = 0, i = 0;
    while (i < 20 && __VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            x++;
        else if (__VERIFIER_nondet_int())
            y++;
        else
            x = y + 1;
        i++;
    }
    if (x < y)
        reach_error();
    return 0;
}
