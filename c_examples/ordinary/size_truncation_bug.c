// expected: unsafe (valid-deref): eight bits of the number of cells are kept, all are written
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  unsigned short count;
  if (scanf("%hu", &count) != 1 || count == 0)
    return 1;
  unsigned char size = count;
  char *cells = malloc(size);
  if (cells == NULL)
    return 1;
  for (unsigned k = 0; k < count; k++)
    cells[k] = 1;
  printf("%d\n", cells[count - 1]);
  free(cells);
  return 0;
}
