// expected: safe
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  unsigned short count;
  if (scanf("%hu", &count) != 1 || count == 0)
    return 1;
  size_t size = count;
  char *cells = malloc(size);
  if (cells == NULL)
    return 1;
  for (unsigned k = 0; k < count; k++)
    cells[k] = 1;
  printf("%d\n", cells[count - 1]);
  free(cells);
  return 0;
}
