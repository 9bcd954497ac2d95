// sea-py pf --property termination: an unsigned number is never below 0
#include <stdio.h>

static unsigned read_height(void) {
  int c = getchar();
  return c >= '0' && c <= '9' ? (unsigned)(c - '0') : 0;
}

static unsigned bricks(unsigned height) {
  unsigned sum = 0;
  for (unsigned row = height; row >= 0; row--)
    sum += row;
  return sum;
}

int main(void) {
  unsigned height = read_height();
  if (height == 0)
    return 1;
  printf("%u\n", bricks(height));
  return 0;
}
