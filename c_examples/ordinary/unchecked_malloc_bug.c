// expected: unsafe (null-deref): malloc may fail
#include <stdio.h>
#include <stdlib.h>

struct point {
  int x, y;
};

static struct point *new_point(int x, int y) {
  struct point *made = malloc(sizeof *made);
  made->x = x;
  made->y = y;
  return made;
}

int main(void) {
  struct point *made = new_point(1, 2);
  printf("%d %d\n", made->x, made->y);
  free(made);
  return 0;
}
