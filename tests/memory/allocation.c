/* Blocks from the heap. */
#include "memory.h"

void t_realloc(void) {
  int n = 1 + below(6), m = n + 1 + below(5);
  int *a = malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) a[i] = i + 1;
  a = realloc(a, m * sizeof(int));
  for (int i = n; i < m; i++) a[i] = 100 + i;
  show(a[below(m)]);
  int k = 1 + below(m);
  a = realloc(a, k * sizeof(int));
  show(a[below(k)]);
  int *b = realloc(0, 8);
  b[1] = 3;
  show(b[1]);
  free(a);
}

struct e {
  int k;
  char c;
  short s;
};

void t_growing(void) {
  struct e *v = 0;
  int n = below(6), s = 0;
  for (int i = 0; i < n; i++) {
    v = realloc(v, (i + 1) * sizeof *v);
    v[i].k = i;
    v[i].c = i + 1;
    v[i].s = -i;
  }
  for (int i = 0; i < n; i++) s = s * 3 + v[i].k + v[i].c + v[i].s;
  show(s);
}

void t_calloc(void) {
  int n = 1 + below(6);
  int *a = calloc(n, sizeof(int));
  a[below(n)] = 3;
  show(a[below(n)]);
}

struct flexible {
  int n;
  short d[];
};

void t_flexible(void) {
  int n = 1 + below(7);
  struct flexible *p = malloc(sizeof *p + n * sizeof(short));
  p->n = n;
  for (int i = 0; i < p->n; i++) p->d[i] = i * i;
  p->d[below(n)] = -3;
  show(p->d[below(n)] + p->n);
}

static int **matrix(int r, int c) {
  int **m = malloc(r * sizeof *m);
  for (int i = 0; i < r; i++) {
    m[i] = malloc(c * sizeof **m);
    for (int j = 0; j < c; j++) m[i][j] = i * j;
  }
  return m;
}

void t_matrix(void) {
  int r = 1 + below(4), c = 1 + below(4);
  int **m = matrix(r, c);
  m[below(r)][below(c)] = -2;
  show(m[below(r)][below(c)]);
}
