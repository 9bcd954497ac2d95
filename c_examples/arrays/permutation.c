/* Indices kept in an array stay in range.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int next[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        next[i] = i + 1 < n ? i + 1 : 0;
    int i = 0;
    for (int steps = __VERIFIER_nondet_int(); steps > 0 && n > 0; steps--)
        i = next[i];
#ifdef BUG
    if (i < 0 || (n > 0 && i >= n - 1))
#else
    if (i < 0 || (n > 0 && i >= n))
#endif
        reach_error();
    return 0;
}
