/* stdlib.h without memory (C17, 7.22): numbers, sorting, the environment. */
#include "model.h"

ANY(unsigned, any_number, "rand");
ANY(unsigned long long, any_bits, "drand48");
ANY(int, any_system, "system");
ANY(_Bool, any_getenv, "getenv");
ANY(unsigned, any_length, "getenv");
ANY_BYTES(any_value, "getenv");

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
typedef struct { __INTMAX_TYPE__ quot, rem; } imaxdiv_t;

/* The smallest number has no absolute value, and no quotient by minus one. */
#define ABSOLUTE(type, name, greatest)                                                         \
  type name(type x) {                                                                          \
    claim_fits(x >= -greatest);                                                                \
    return x < 0 ? -x : x;                                                                     \
  }
#define DIVIDED(type, name, greatest)                                                          \
  name##_t name(type x, type y) {                                                              \
    claim_fits(x >= -greatest || y != -1);                                                     \
    return (name##_t){x / y, x % y};                                                           \
  }

ABSOLUTE(int, abs, __INT_MAX__)
ABSOLUTE(long, labs, __LONG_MAX__)
ABSOLUTE(long long, llabs, __LONG_LONG_MAX__)
ABSOLUTE(__INTMAX_TYPE__, imaxabs, __INTMAX_MAX__)
DIVIDED(int, div, __INT_MAX__)
DIVIDED(long, ldiv, __LONG_MAX__)
DIVIDED(long long, lldiv, __LONG_LONG_MAX__)
DIVIDED(__INTMAX_TYPE__, imaxdiv, __INTMAX_MAX__)

static int first_bit(unsigned long long x, int width) {
  for (int i = 0; i < width; i++)
    if (x >> i & 1) return i + 1;
  return 0;
}

int ffs(int x) { return first_bit((unsigned)x, 32); }
int ffsl(long x) { return first_bit((unsigned long)x, 8 * sizeof x); }
int ffsll(long long x) { return first_bit((unsigned long long)x, 64); }

/* ------------------------------------------------------------------------- numbers from text */

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static unsigned digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 36;
}

/* A number in text: magnitude and sign, whether it is above a limit, where the text ends. */
struct number {
  unsigned long long magnitude;
  int negative, excessive;
  const char *end;
};

/* An optional sign and digits; the end is the begin of the text if there are none. */
static void read_number(
    const char *text, int base, unsigned long long limit, struct number *found) {
  const char *at = text;
  while (is_space(*at)) at++;
  found->magnitude = 0;
  found->negative = *at == '-';
  found->excessive = 0;
  found->end = text;
  if (*at == '-' || *at == '+') at++;
  if ((base == 0 || base == 16) && *at == '0' && (at[1] == 'x' || at[1] == 'X') &&
      digit(at[2]) < 16) {
    base = 16;
    at += 2;
  }
  if (base == 0) base = *at == '0' ? 8 : 10;
  for (; digit(*at) < (unsigned)base; at++) {
    unsigned value = digit(*at);
    if (found->magnitude > (limit - value) / (unsigned)base) found->excessive = 1;
    if (!found->excessive) found->magnitude = found->magnitude * (unsigned)base + value;
    found->end = at + 1;
  }
}

static long long signed_in(const char *text, char **end, int base, unsigned long long greatest) {
  struct number found;
  if (base < 0 || base == 1 || base > 36) return failed(EINVAL, 0);
  read_number(text, base, greatest + 1, &found);
  if (end != NULL) *end = (char *)found.end;
  unsigned long long limit = greatest + found.negative;
  if (found.excessive || found.magnitude > limit) {
    failed(ERANGE, 0);
    found.magnitude = limit;
  }
  return (long long)(found.negative ? -found.magnitude : found.magnitude);
}

static unsigned long long unsigned_in(
    const char *text, char **end, int base, unsigned long long greatest) {
  struct number found;
  if (base < 0 || base == 1 || base > 36) return failed(EINVAL, 0);
  read_number(text, base, greatest, &found);
  if (end != NULL) *end = (char *)found.end;
  if (found.excessive) {
    failed(ERANGE, 0);
    return greatest;
  }
  return found.negative ? -found.magnitude : found.magnitude;
}

long strtol(const char *text, char **end, int base) {
  return (long)signed_in(text, end, base, __LONG_MAX__);
}

long long strtoll(const char *text, char **end, int base) {
  return signed_in(text, end, base, __LONG_LONG_MAX__);
}

unsigned long strtoul(const char *text, char **end, int base) {
  return (unsigned long)unsigned_in(text, end, base, ~0ul);
}

unsigned long long strtoull(const char *text, char **end, int base) {
  return unsigned_in(text, end, base, ~0ull);
}

long __isoc23_strtol(const char *text, char **end, int base) {
  return (long)signed_in(text, end, base, __LONG_MAX__);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base) {
  return (unsigned long)unsigned_in(text, end, base, ~0ul);
}

int atoi(const char *text) { return (int)signed_in(text, NULL, 10, __LONG_MAX__); }

long atol(const char *text) { return (long)signed_in(text, NULL, 10, __LONG_MAX__); }

long long atoll(const char *text) { return signed_in(text, NULL, 10, __LONG_LONG_MAX__); }

/* ------------------------------------------------------------------------ sorting, searching */

static void swap(byte *left, byte *right, size_t size) {
  for (size_t i = 0; i < size; i++) {
    byte kept = left[i];
    left[i] = right[i];
    right[i] = kept;
  }
}

static void claim_array(const void *array, size_t count, size_t size) {
  if (count > 0 && size > 0) claim_readable(array, count * size);
}

/* Insertion: elements that compare equal keep their order, as with a merge sort. */
void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  byte *bytes = array;
  claim_array(array, count, size);
  for (size_t i = 1; i < count; i++) {
    byte *at = bytes + i * size;
    while (at > bytes && compare(at - size, at) > 0) {
      swap(at - size, at, size);
      at -= size;
    }
  }
}

void *bsearch(
    const void *key, const void *array, size_t count, size_t size,
    int (*compare)(const void *, const void *)) {
  size_t low = 0, high = count;
  claim_array(array, count, size);
  while (low < high) {
    size_t middle = (low + high) / 2;
    const byte *element = (const byte *)array + middle * size;
    int order = compare(key, element);
    if (order == 0) return (void *)element;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* ------------------------------------------------------------------------- random, environment */

static int random_number(void) { return (int)(any_number() >> 1); }

int rand(void) { return random_number(); }
int rand_r(unsigned *seed) { return *seed = random_number(); }
long random(void) { return random_number(); }
long lrand48(void) { return random_number(); }

/* 48 bits behind the binary point. */
double drand48(void) { return (double)(any_bits() >> 16) / 281474976710656.0; }

/* Linux bounds the length (execve(2)).  A value ends where its object does, so that nothing can be
   read behind it.  Lengths beyond the bound stand for short ones: those are what runs draw. */
enum { SHORT = 64 };

static char values[1 << 17];

char *getenv(const char *name) {
  claim_text(name);
  if (!any_getenv()) return NULL;
  size_t size = any_length();
  if (size >= sizeof values) size %= SHORT;
  char *value = values + (sizeof values - 1 - size);
  any_value(value, size);
  values[sizeof values - 1] = 0;
  return value;
}

int system(const char *text) {
  if (text != NULL) claim_text(text);
  return any_system();
}
