// expected: safe
#include <stdio.h>
#include <stdlib.h>

struct point {
  int x, y;
};

static struct point *new_point(int x, int y) {
  struct point *made = malloc(sizeof *made);
  if (made == NULL)
    return NULL;
  made->x = x;
  made->y = y;
  return made;
}

int main(void) {
  struct point *made = new_point(1, 2);
  if (made == NULL)
    return 1;
  printf("%d %d\n", made->x, made->y);
  free(made);
  return 0;
}
