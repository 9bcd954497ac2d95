// expected: unsafe (valid-deref): the last turn of the loop writes behind the block
#include <stdio.h>
#include <stdlib.h>

static void clear(int *cells, int count) {
  for (int k = 0; k <= count; k++)
    cells[k] = 0;
}

int main(void) {
  int *cells = malloc(8 * sizeof *cells);
  if (cells == NULL)
    return 1;
  clear(cells, 8);
  printf("%d\n", cells[7]);
  free(cells);
  return 0;
}
