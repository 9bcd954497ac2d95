/* Minutes and seconds stay in their ranges.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int seconds = 0, minutes = 0;
    while (__VERIFIER_nondet_int()) {
        seconds++;
        if (seconds == 60) {
            seconds = 0;
            minutes = minutes == 59 ? 0 : minutes + 1;
        }
    }
    if (seconds > 59 || minutes > 59 || seconds < 0 || minutes < 0)
        reach_error();
    return 0;
}
