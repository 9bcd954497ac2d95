/* Two ends of an interval meet in the middle.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    int low = 0, high = 20000;
    while (low < high) {
        low++;
        high--;
    }
    if (low != 10000)
        reach_error();
    return 0;
}
