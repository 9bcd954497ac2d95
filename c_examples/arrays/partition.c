/* Elements below the pivot come first.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#define SIZE 100000
static int a[SIZE];

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= n && n <= SIZE);
    int pivot = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    int low = 0, high = n;
    while (low < high) {
        if (a[low] < pivot) {
            low++;
        } else {
            high--;
            int t = a[low];
            a[low] = a[high];
            a[high] = t;
        }
    }
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (z <= low ? a[z] >= pivot : a[z] < pivot)
#else
    if (z < low ? a[z] >= pivot : a[z] < pivot)
#endif
        reach_error();
    return 0;
}
