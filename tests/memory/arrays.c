/* Arrays that are indexed by what is not known. */
#include "memory.h"

static int a[100] = {1, 2, 3};

void t_global_array(void) {
  int i = below(100), j = below(100);
  a[i] = 5;
  a[j]++;
  show(a[i] + 10 * a[j] + a[below(100)]);
}

void t_stack_array(void) {
  int b[50];
  for (int i = 0; i < 50; i++) b[i] = i * 3;
  b[below(50)] = 7;
  show(b[below(50)]);
}

static int m[7][9];

void t_two_dimensions(void) {
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < 9; j++) m[i][j] = i * 10 + j;
  m[below(7)][below(9)] = -1;
  show(m[below(7)][below(9)]);
  int(*row)[9] = &m[below(7)];
  show((*row)[below(9)]);
}

void t_sort(void) {
  int b[6], s = 0;
  for (int i = 0; i < 6; i++) b[i] = __VERIFIER_nondet_int() & 15;
  for (int i = 1; i < 6; i++) {
    int j, k = b[i];
    for (j = i - 1; j >= 0 && b[j] > k; j--) b[j + 1] = b[j];
    b[j + 1] = k;
  }
  for (int i = 0; i < 5; i++)
    if (b[i] > b[i + 1]) reach_error();
  for (int *p = b, *e = b + 6; p < e; p++) s += *p;
  show(s + b[below(6)]);
}

static int variable(int n) {
  int b[n];
  for (int i = 0; i < n; i++) b[i] = n - i;
  b[below(n)] += 10;
  return b[below(n)];
}

void t_variable_length(void) {
  show(variable(1 + below(9)));
  int n = 2 + below(4), s = 0;
  for (int i = 1; i < n; i++) {
    char v[i * 2];
    memset(v, i, i * 2);
    v[below(i)] = 9;
    s += v[below(i * 2)];
  }
  show(s);
}

void t_alloca(void) {
  int n = 1 + below(5);
  int *p = __builtin_alloca(n * 4), *q[3];
  for (int i = 0; i < n; i++) p[i] = i;
  show(p[below(n)]);
  for (int i = 0; i < 3; i++) {
    q[i] = __builtin_alloca(4);
    *q[i] = i;
  }
  show(*q[below(3)]);
}

static double d[20];
static float f[20];

void t_floats(void) {
  for (int i = 0; i < 20; i++) {
    d[i] = i;
    f[i] = 2;
  }
  d[below(20)] = 8;
  show(d[below(20)] == 8);
  show(f[below(20)] == 2);
  union {
    double x;
    unsigned long long u;
  } u;
  u.x = d[below(20)];
  show(u.u >> 52);
}
