// sea-py pf --property termination: below 1 the search never gets closer
#include <stdio.h>

static unsigned read_byte(void) {
  int c = getchar();
  return c == EOF ? 0 : (unsigned)c;
}

static int find(const unsigned *table, unsigned size, unsigned wanted) {
  unsigned low = 0, high = size;
  while (low < high) {
    unsigned middle = (low + high) / 2;
    if (table[middle] == wanted)
      return (int)middle;
    if (table[middle] < wanted)
      low = middle;
    else
      high = middle;
  }
  return -1;
}

int main(void) {
  static const unsigned table[] = {2, 3, 5, 7, 11, 13, 17, 19};
  printf("%d\n", find(table, 8, read_byte()));
  return 0;
}
