/* Structs and unions: in arrays, by value, packed, punned. */
#include "memory.h"

struct s {
  char c;
  short h;
  int i;
  long long l;
  int arr[3];
};
static struct s t[20];

void t_array_of_structs(void) {
  int k = below(20);
  t[k].c = 3;
  t[k].h = -4;
  t[k].i = 5;
  t[k].l = 1LL << 40;
  t[k].arr[below(3)] = 9;
  struct s *p = &t[below(20)];
  show(p->c + p->h * 2 + p->i * 3 + (int)(p->l >> 38) + p->arr[below(3)] * 5);
  struct s u = t[below(20)];
  show(u.c + u.h + u.i);
  t[below(20)] = u;
  show(t[below(20)].i);
}

union u {
  int i;
  unsigned char b[4];
  float f;
  short h[2];
};
static union u puns[20];

void t_union(void) {
  int k = below(20);
  puns[k].i = __VERIFIER_nondet_int();
  puns[below(20)].b[below(4)] = 7;
  show(puns[k].i);
  show(puns[k].h[below(2)]);
}

struct point {
  int x, y;
};
struct wide {
  int a[5];
  char c;
};
static struct point points[30];

static struct point point(int a, int b) {
  struct point r = {a, b};
  return r;
}

static int sum(struct wide v) {
  int s = 0;
  for (int i = 0; i < 5; i++) s += v.a[i];
  v.a[0] = 99;
  return s + v.c;
}

void t_by_value(void) {
  struct wide v;
  for (int i = 0; i < 5; i++) v.a[i] = i;
  v.c = 3;
  v.a[below(5)] = 50;
  show(sum(v) + v.a[below(5)]);
  points[below(30)] = point(4, __VERIFIER_nondet_int());
  struct point z = points[below(30)];
  show(z.x + z.y);
}

struct big {
  int a[6];
};
static struct big bigs[3];

static struct big big(int k) {
  struct big b;
  for (int i = 0; i < 6; i++) b.a[i] = k + i;
  return b;
}

void t_struct_result(void) {
  bigs[below(3)] = big(below(5));
  struct big z = big(3);
  z.a[below(6)] = 0;
  bigs[below(3)] = z;
  show(bigs[below(3)].a[below(6)]);
}

struct bits {
  unsigned a : 3;
  int c : 7;
  unsigned d : 20;
};
static struct bits fields[40];

void t_bit_fields(void) {
  fields[below(40)].c = -5;
  fields[below(40)].a = 6;
  fields[below(40)].d = 77777;
  struct bits *p = &fields[below(40)];
  show(p->a + p->c * 8 + p->d);
}

struct uninitialised {
  int a;
  int b[40];
};

void t_uninitialised(void) {
  struct uninitialised x, z[3];
  int y[30], t = x.b[0];
  x.a = 1;
  show(y[below(30)]);
  show(t);
  show(z[below(3)].b[below(40)]);
  int *m = malloc(20);
  show(m[below(5)]);
}
