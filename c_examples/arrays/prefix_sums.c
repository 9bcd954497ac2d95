/* Neighbouring sums differ by the element between them.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static unsigned a[SIZE], sum[SIZE + 1];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    sum[0] = 0;
    for (int i = 0; i < n; i++)
        sum[i + 1] = sum[i] + a[i];
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (sum[z + 1] != sum[z] + a[z] || sum[z] > 100)
#else
    if (sum[z + 1] != sum[z] + a[z])
#endif
        reach_error();
    return 0;
}
