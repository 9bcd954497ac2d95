/* Seconds are set back one too late.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int seconds = 0;
    while (__VERIFIER_nondet_int()) {
        if (seconds == 60)
            seconds = 0;
        else
            seconds++;
    }
    if (seconds > 59)
        reach_error();
    return 0;
}
