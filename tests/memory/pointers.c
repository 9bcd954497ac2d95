/* Pointers to pointers, to functions, as numbers; passed down and compared. */
#include "memory.h"

static int x, y;

void t_pointer_to_pointer(void) {
  int *p = &x, *q = &y, z = 0;
  int **pp = below(2) ? &p : &q;
  **pp = 5;
  if (below(2)) *pp = &z;
  **pp += 7;
  show(x + 10 * y + 100 * z);
}

static int one(int v) { return v + 1; }
static int two(int v) { return v * 2; }
static int minus(int v) { return -v; }
static int (*table[3])(int) = {one, two, minus};
struct operations {
  int (*a)(int);
  int (*b)(int);
};
static struct operations operations = {one, two};
static int apply(struct operations *p, int v) { return p->a(v) + 10 * p->b(v); }

void t_functions(void) {
  int v = below(50);
  show(table[below(3)](v));
  table[below(3)] = minus;
  show(table[below(3)](v));
  operations.a = below(2) ? two : minus;
  show(apply(&operations, v));
}

static int numbers[10];

void t_as_numbers(void) {
  uintptr_t u = (uintptr_t)&numbers[below(5)], t[3];
  int *p = (int *)(u + 4);
  *p = 3;
  t[below(3)] = u;
  t[0] = (uintptr_t)(numbers + 2);
  int *q = (int *)t[0];
  *q += 5;
  show(numbers[below(10)]);
  show((int *)u - numbers);
  show(p - (int *)u);
  char *c = (char *)numbers + sizeof(int) * below(10);
  show(*(int *)c);
}

static void swap(int *p, int *q) {
  int t = *p;
  *p = *q;
  *q = t;
}

void t_swap(void) {
  int a = 4;
  for (int i = 0; i < 10; i++) numbers[i] = i;
  swap(&numbers[below(10)], &numbers[below(10)]);
  swap(numbers, numbers + 9);
  swap(&a, &numbers[below(10)]);
  show(numbers[below(10)] + a);
  struct {
    int u, v;
  } s = {1, 2};
  swap(&s.u, &s.v);
  show(s.u * 3 + s.v);
}

static int find(int *p, int n, int v) {
  for (int *q = p; q != p + n; q++)
    if (*q == v) return q - p;
  return -1;
}

void t_comparisons(void) {
  int other[10] = {0}, *null = 0;
  numbers[below(10)] = 3;
  show(find(numbers, 10, 3));
  int *p = below(2) ? numbers : other;
  show(p == numbers);
  show((p == other) + (p != 0) + (null == p));
  int *m = malloc(4), *k = malloc(4);
  show((m == k) + 2 * (m != 0));
}

static int sum(int *p, int n, int d) {
  int local[4], s = 0;
  if (d == 0) {
    for (int i = 0; i < n; i++) s += p[i];
    return s;
  }
  for (int i = 0; i < 4; i++) local[i] = p[i % n] + d;
  local[below(4)] = d;
  return sum(local, 4, d - 1) + local[below(4)];
}

static int memo[20];
static int fibonacci(int *m, int n) {
  if (n < 2) return n;
  if (m[n]) return m[n];
  return m[n] = fibonacci(m, n - 1) + fibonacci(m, n - 2);
}

void t_recursion(void) {
  int b[3] = {1, 2, 3};
  show(sum(b, 3, below(4)));
  show(fibonacci(memo, below(15)));
}

static int total(const int *a, int n) { return n ? a[n - 1] + total(a, n - 1) : 0; }
static void set(int *p, int v) { *p = v; }
static void fill(int *a, int n) {
  for (int i = 0; i < n; i++) set(a + i, i);
}

void t_passed_down(void) {
  int l[6];
  fill(numbers, 5);
  fill(l, 6);
  l[below(6)] = 50;
  show(total(numbers, 5) + total(l, below(7)));
}

struct n {
  int v;
  struct n *next;
};
static struct n c = {3, 0}, b = {2, &c}, a = {1, &b};
static struct n *heads[2] = {&a, &b};

void t_initial_pointers(void) {
  int s = 0;
  for (struct n *h = heads[below(2)]; h; h = h->next) s = s * 10 + h->v;
  show(s);
  heads[below(2)] = &c;
  show(heads[below(2)]->v);
}
