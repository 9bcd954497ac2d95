/* The first place of a value: it is not in front of it.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    int x = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int found = 0;
    while (found < n && a[found] != x)
        found++;
    int z = __VERIFIER_nondet_int();
#ifdef BUG
    __VERIFIER_assume(0 <= z && z <= found && z < n);
#else
    __VERIFIER_assume(0 <= z && z < found);
#endif
    if (a[z] == x)
        reach_error();
    return 0;
}
