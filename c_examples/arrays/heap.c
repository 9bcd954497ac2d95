/* A block of the heap whose size is an input.
 * expected: safe, unsafe with -DBUG */
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);
#include <stdlib.h>

int main(void) {
    int n = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 < n && n <= 100000);
    int *a = malloc(n * sizeof(int));
    for (int i = 0; i < n; i++)
        a[i] = 7;
    for (int i = 0; i < n; i++)
#ifdef BUG
        if (a[i] != 7 || i == 2)
#else
        if (a[i] != 7)
#endif
            reach_error();
    free(a);
    return 0;
}
