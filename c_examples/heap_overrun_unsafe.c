// expected: unsafe, property: valid-memsafety
// The loop writes one element beyond the block.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int count = __VERIFIER_nondet_int();
  if (count < 1 || count > 100)
    return 0;
  int *squares = malloc(count * sizeof *squares);
  for (int i = 0; i <= count; i++)
    squares[i] = i * i;
  free(squares);
  return 0;
}
