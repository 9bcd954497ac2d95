/* exit ends the run.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

#include <stdlib.h>

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 0)
        exit(1);
    if (x < 0)
        reach_error();
    return 0;
}
