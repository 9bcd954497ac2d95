/* Every seventh element of one array, in a row in another one.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE], b[7 * SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < 7 * n; i++)
        b[i] = __VERIFIER_nondet_int();
    int j = 0;
    for (int i = 1; i < 7 * n; i += 7) {
        a[j] = b[i];
        j++;
    }
#ifdef BUG
    for (int k = 0; k < n; k++)
        if (a[k] != b[7 * k + 2])
            reach_error();
#else
    for (int k = 0; k < n; k++)
        if (a[k] != b[7 * k + 1])
            reach_error();
#endif
    return 0;
}
