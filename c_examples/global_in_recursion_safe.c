/* A global that a recursive function changes.
 * expected: safe (int only) */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int calls;

void count(int n) {
    calls++;
    if (n > 0)
        count(n - 1);
}

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(n >= 0 && n < 1000);
    count(n);
    if (calls != n + 1)
        reach_error();
    return 0;
}
