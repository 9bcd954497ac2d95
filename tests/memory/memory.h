/* What the programs about memory share: inputs, and a function that shows a value. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int below(int n) { return (int)(__VERIFIER_nondet_uint() % (unsigned)n); }

static void show(long v) {
  if (v == __VERIFIER_nondet_int()) reach_error();
  for (int k = 0; k < 4; k++)
    if (((v >> k) & 1) && __VERIFIER_nondet_int() == k) reach_error();
}
