/* Copies and fills of constant and other lengths. */
#include "memory.h"

static unsigned char b[40];
static int w[20];

void t_bytes(void) {
  int n = below(20);
  unsigned char c[40];
  for (int i = 0; i < 40; i++) c[i] = i;
  memcpy(b + 3, c + 1, n);
  show(b[below(40)]);
  memset(c, 5, n);
  show(c[below(40)]);
  memmove(c + 2, c, n);
  show(c[below(40)]);
  memmove(c, c + 2, n);
  show(c[below(40)]);
}

void t_words(void) {
  int v[20], n = below(20);
  for (int i = 0; i < 20; i++) w[i] = i;
  memset(w, 1, n * 4);
  show(w[below(20)]);
  memcpy(v, w, sizeof v);
  show(v[below(20)]);
  memcpy(w + 1, v, (n / 2) * 4);
  show(w[below(20)]);
  memset(v, 0, sizeof v);
  show(v[below(20)]);
}

void t_part_of_a_word(void) {
  for (int i = 0; i < 20; i++) w[i] = 0x01010101;
  memset(w, 1, below(77));
  show(w[below(20)]);
}

struct pair {
  int *p;
  long v;
};
static int g = 5;

void t_pointer_by_bytes(void) {
  struct pair x = {&g, 7}, y;
  unsigned char *d = (unsigned char *)&y, *s = (unsigned char *)&x;
  for (int i = 0; i < (int)sizeof x; i++) d[i] = s[i];
  *y.p = 9 + below(3);
  show(g + y.v);
}

static const char *names[] = {"zero", "one", "two", "three"};

static size_t length(const char *s) {
  size_t n = 0;
  while (*s++) n++;
  return n;
}

static int compare(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *(unsigned char *)a - *(unsigned char *)b;
}

void t_strings(void) {
  int i = below(4);
  show(length(names[i]));
  show(compare(names[i], names[below(4)]));
  char buffer[20] = "hello", *c = buffer;
  const char *s = "abc";
  buffer[below(5)] = 'X';
  show(length(buffer) + buffer[below(20)]);
  while ((*c++ = *s++));
  show(buffer[below(20)] + "literal"[below(7)]);
}

static int large[300];
static char sparse[300] = "xyz";
static int *chosen;

void t_large(void) {
  memset(large, 0, sizeof large);
  int *h = malloc(300 * sizeof(int));
  chosen = below(2) ? large : h;
  for (int i = 0; i < 5; i++) chosen[i] = i;
  large[below(300)] = 4;
  show(large[below(300)] + chosen[below(5)]);
  show(sparse[below(300)]);
}
