// expected: safe
#include <stdlib.h>

int main(int argc, char *argv[]) {
  if (argc < 2 || argv[1][0] < '1' || argv[1][0] > '9')
    return 1;
  int megabytes = (argv[1][0] - '0') * 1024;
  size_t bytes = (size_t)megabytes * 1024 * 1024;
  char *cells = malloc(bytes);
  if (cells == NULL)
    return 1;
  cells[0] = 1;
  free(cells);
  return 0;
}
