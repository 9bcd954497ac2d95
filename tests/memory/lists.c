/* Linked structures. */
#include "memory.h"

struct n {
  int v;
  struct n *next;
};

void t_list(void) {
  int c = below(8), s = 0;
  struct n *l = 0, *r = 0;
  for (int k = 0; k < c; k++) {
    struct n *q = malloc(sizeof *q);
    q->v = k * k;
    q->next = l;
    l = q;
  }
  for (struct n *p = l; p; p = p->next) s += p->v;
  show(s);
  while (l) {
    struct n *t = l->next;
    l->next = r;
    r = l;
    l = t;
  }
  s = 0;
  for (struct n *p = r; p; p = p->next) s = s * 3 + p->v;
  show(s);
  while (r) {
    struct n *t = r->next;
    free(r);
    r = t;
  }
}

struct tree {
  int a;
  struct tree *l, *r;
  char name[8];
};

static struct tree *leaf(int v) {
  struct tree *x = calloc(1, sizeof *x);
  x->a = v;
  return x;
}

void t_tree(void) {
  int n = 1 + below(6), d = 0;
  struct tree *root = leaf(5);
  for (int i = 0; i < n; i++) {
    int v = __VERIFIER_nondet_int();
    struct tree **p = &root;
    while (*p) p = v < (*p)->a ? &(*p)->l : &(*p)->r;
    *p = leaf(v);
    (*p)->name[below(8)] = i;
  }
  for (struct tree *q = root; q; q = q->l) d++;
  show(d + root->name[below(8)]);
}

struct link {
  struct link *next;
};
struct item {
  int v;
  struct link link;
  int w;
};
static struct item items[4];

void t_container(void) {
  struct link *h = 0;
  int s = 0;
  for (int i = 0; i < 4; i++) {
    items[i].v = i;
    items[i].w = i * i;
    items[i].link.next = h;
    h = &items[i].link;
  }
  while (h) {
    struct item *it = (struct item *)((char *)h - offsetof(struct item, link));
    s = s * 5 + it->v + it->w;
    h = h->next;
  }
  show(s);
  struct item *one = malloc(sizeof *one);
  struct link *p = &one->link;
  ((struct item *)((char *)p - offsetof(struct item, link)))->w = below(9);
  show(one->w);
}

struct queue {
  int buffer[8];
  unsigned head, tail;
};
static struct queue shared;

static void push(struct queue *q, int v) { q->buffer[q->tail++ % 8] = v; }
static int pop(struct queue *q) { return q->buffer[q->head++ % 8]; }

void t_queue(void) {
  int n = below(12);
  struct queue own;
  memset(&own, 0, sizeof own);
  for (int i = 0; i < n; i++) push(below(2) ? &shared : &own, i);
  show(pop(&shared) + 100 * pop(&own));
  show(shared.tail - own.tail);
}
