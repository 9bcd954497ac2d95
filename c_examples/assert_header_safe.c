/* The assert of assert.h.
 * expected: safe */
extern int __VERIFIER_nondet_int(void);

#include <assert.h>

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x > 10)
        assert(x != 5);
    return 0;
}
