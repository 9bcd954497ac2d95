/* stdlib.h without memory (C17, 7.22): numbers, sorting. */
#include "model.h"

ANY(unsigned, any_number, "rand");
ANY(unsigned, any_status, "system");
ANY(_Bool, has_status, "system");
ANY(_Bool, has_shell, "system");
ANY(_Bool, goes_before, "qsort");
ANY(_Bool, goes_on, "bsearch");
ANY(_Bool, goes_further, "strtol");
ANY(_Bool, is_excessive, "strtol");
ANY(unsigned long long, any_magnitude, "strtol");

_Bool is_loose __asm__("sea.loose");

typedef struct { int quot, rem; } div_t;
typedef struct { long quot, rem; } ldiv_t;
typedef struct { long long quot, rem; } lldiv_t;
typedef struct { __INTMAX_TYPE__ quot, rem; } imaxdiv_t;

/* The smallest number has no absolute value, and no quotient by -1. */
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

/* A number read from text: magnitude, sign, whether it is above a limit, and its end in the text. */
struct number {
  unsigned long long magnitude;
  int negative, excessive;
  const char *end;
};

/* Read an optional sign and digits; without digits, the end is the beginning of the text. */
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

/* Any number that ends anywhere in the text.  It is drawn first, so that it is one wherever it ends. */
static unsigned long long loose_number(const char *text, char **end) {
  const char *at = text;
  unsigned long long magnitude = any_magnitude();
  _Bool excessive = is_excessive();
  while (*at != 0 && goes_further()) at++;
  if (end != NULL) *end = (char *)at;
  if (at == text) return 0;
  if (excessive) failed(ERANGE, 0);
  return magnitude;
}

static long long signed_in(const char *text, char **end, int base, unsigned long long greatest) {
  struct number found;
  if (base < 0 || base == 1 || base > 36) return failed(EINVAL, 0);
  if (is_loose) return (long long)loose_number(text, end);
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
  if (is_loose) return loose_number(text, end);
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

__INTMAX_TYPE__ strtoimax(const char *text, char **end, int base) {
  return signed_in(text, end, base, __INTMAX_MAX__);
}

__UINTMAX_TYPE__ strtoumax(const char *text, char **end, int base) {
  return unsigned_in(text, end, base, __UINTMAX_MAX__);
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

/* Insertion sort; the order of elements that compare equal is unspecified (C17, 7.22.5.2). */
static _Bool belongs_before(int order) { return order > 0 || (order == 0 && goes_before()); }

void qsort(void *array, size_t count, size_t size, int (*compare)(const void *, const void *)) {
  byte *bytes = array;
  claim_array(array, count, size);
  for (size_t i = 1; i < count; i++) {
    byte *at = bytes + i * size;
    while (at > bytes && belongs_before(compare(at - size, at))) {
      swap(at - size, at, size);
      at -= size;
    }
  }
}

/* qsort with an argument for the comparison (GNU). */
void qsort_r(
    void *array, size_t count, size_t size,
    int (*compare)(const void *, const void *, void *), void *argument) {
  byte *bytes = array;
  claim_array(array, count, size);
  for (size_t i = 1; i < count; i++) {
    byte *at = bytes + i * size;
    while (at > bytes && belongs_before(compare(at - size, at, argument))) {
      swap(at - size, at, size);
      at -= size;
    }
  }
}

/* Any of several elements that compare equal may be found (C17, 7.22.5.1). */
void *bsearch(
    const void *key, const void *array, size_t count, size_t size,
    int (*compare)(const void *, const void *)) {
  const byte *bytes = array;
  size_t low = 0, high = count;
  claim_array(array, count, size);
  while (low < high) {
    size_t middle = (low + high) / 2;
    int order = compare(key, bytes + middle * size);
    if (order == 0) {
      size_t at = middle;
      while (at + 1 < high && goes_on() && compare(key, bytes + (at + 1) * size) == 0) at++;
      while (at > low && goes_on() && compare(key, bytes + (at - 1) * size) == 0) at--;
      return (void *)(bytes + at * size);
    }
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

/* --------------------------------------------------------------------------------- random numbers */

USES(seeds_rand, "srand");
USES(seeds_random, "srandom.initstate.setstate");
UNKNOWN(number_is_unknown, "rand");

enum { SEEDS = 4, NUMBERS = 8 };

static int random_number(void) { return (int)(any_number() >> 1); }

/* The first numbers after each seed.  A generator begins as if it had been seeded with 1. */
struct generator {
  unsigned seeds[SEEDS];
  int numbers[SEEDS][NUMBERS];
  byte known[SEEDS]; /* how many numbers of a seed are known */
  unsigned others;   /* how many seeds there were beside the first */
  unsigned current, next;
  _Bool again; /* whether the current seed was used before */
};

static void seed_with(struct generator *g, unsigned seed) {
  unsigned k = 0;
  while (k <= g->others && k < SEEDS && g->seeds[k] != seed) k++;
  g->again = k <= g->others;
  if (!g->again) g->others++;
  if (k < SEEDS) g->seeds[k] = seed;
  g->current = k;
  g->next = 0;
}

/* The next number; a seed gives the same numbers again, as far as they are known. */
static int number_of(struct generator *g) {
  unsigned k = g->current, i = g->next++;
  if (k < SEEDS && i < g->known[k]) return g->numbers[k][i];
  if (g->again || k >= SEEDS) number_is_unknown();
  int number = random_number();
  if (k < SEEDS && i < NUMBERS) {
    g->numbers[k][i] = number;
    g->known[k] = (byte)(i + 1);
  }
  return number;
}

static struct generator for_rand = {.seeds = {1}}, for_random = {.seeds = {1}};

int rand(void) { return seeds_rand() ? number_of(&for_rand) : random_number(); }
long random(void) { return seeds_random() ? number_of(&for_random) : random_number(); }
void srand(unsigned seed) { seed_with(&for_rand, seed); }
void srandom(unsigned seed) { seed_with(&for_random, seed); }

/* The last few states, each with the state that follows it. */
static unsigned states[SEEDS], next_states[SEEDS];
static int next_numbers[SEEDS];
static unsigned known_states;

int rand_r(unsigned *seed) {
  for (unsigned k = 0; k < known_states && k < SEEDS; k++)
    if (states[k] == *seed) {
      *seed = next_states[k];
      return next_numbers[k];
    }
  if (known_states >= SEEDS) number_is_unknown();
  int number = random_number();
  unsigned next = any_number();
  if (known_states < SEEDS) {
    states[known_states] = *seed;
    next_states[known_states] = next;
    next_numbers[known_states++] = number;
  }
  *seed = next;
  return number;
}

/* ---------------------------------------------------------------------------------------- system */

int system(const char *text) {
  if (text == NULL) return has_shell();
  claim_text(text);
  return has_status() ? (int)(any_status() & 0xffff) : failed(EAGAIN, -1);
}
