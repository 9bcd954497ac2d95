/* From one block of the heap to another.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
#include <stdlib.h>

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 < n && n <= 100000);
    int *a = malloc(n * sizeof(int));
    int *b = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        b[i] = a[i];
    int z = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= z && z < n);
#ifdef BUG
    if (a[z] != b[z] || b[z] == 12345)
#else
    if (a[z] != b[z])
#endif
        reach_error();
    free(a);
    free(b);
    return 0;
}
