/* A long has the width of a pointer; each data model has its own way into the error.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    long x = __VERIFIER_nondet_int();
    long y = x + 1;
    if (sizeof(long) == sizeof(int) ? y < x : y == 0)
        reach_error();
    return 0;
}
