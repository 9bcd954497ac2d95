/* The assert of assert.h fails for one input.
 * expected: unsafe */
extern int __VERIFIER_nondet_int(void);

#include <assert.h>

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 10)
        assert(x != 50);
    return 0;
}
