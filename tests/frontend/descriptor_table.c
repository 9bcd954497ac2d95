/* The table of descriptors against a set of numbers: random sequences of calls that open, close and
   replace descriptors, from a start that the table does not know. */
#include "model.h"
#undef UNKNOWN
#undef USES
#define UNKNOWN(name, of) static void name(void) { unknown = 1; }
#define USES(name, functions) static _Bool name(void) { return 0; }
static _Bool unknown, blocked;
#include "descriptors.c"

enum { NUMBERS = 16 };

void __VERIFIER_assume(int holds) { blocked |= !holds; }

static unsigned long long seed = 1;
static int random_below(int n) {
  seed = seed * 6364136223846793005ull + 1442695040888963407ull;
  return (int)((seed >> 33) % (unsigned)n);
}

static _Bool is_open[2 * NUMBERS], is_own[2 * NUMBERS];

static void begin(void) {
  top = is_lost = unknown = blocked = 0;
  high_0 = high_1 = vacant_0 = vacant_1 = vacant_2 = vacant_3 = NONE;
  for (int k = 0; k < 2 * NUMBERS; k++) is_open[k] = k < 4 && random_below(2), is_own[k] = 0;
}

static int lowest(void) {
  int k = 0;
  while (is_open[k]) k++;
  return k;
}

/* A number that the table allows and the set does not: of one that is open, or not the lowest. */
static int wrong_open(void) {
  int should = lowest(), number = taken_descriptor(should);
  if (unknown) return 0;
  if (number != should || blocked) return 1;
  is_open[number] = is_own[number] = 1;
  return 0;
}

static int wrong_close(void) {
  int number = random_below(NUMBERS);
  if (is_bad_descriptor(number) && is_open[number]) return 2;
  if (is_good_descriptor(number) && !is_open[number]) return 3;
  descriptor_is_closed(number);
  is_open[number] = is_own[number] = 0;
  return 0;
}

static int wrong_replace(void) {
  int old = random_below(NUMBERS), new = random_below(NUMBERS);
  if (!is_open[old]) return is_good_descriptor(old) ? 4 : 0;
  descriptor_is_open(old);
  descriptor_is_open(new);
  is_open[new] = is_own[old] = is_own[new] = 1;
  return 0;
}

/* The last call may give any number: it is not one that the program has opened. */
static int wrong_end(void) {
  int number = taken_descriptor(random_below(2 * NUMBERS));
  if (unknown || blocked || number >= 2 * NUMBERS) return 0;
  return is_own[number] ? 5 : 0;
}

static int first_difference(void) {
  int followed = 0;
  for (int round = 0; round < 200000; round++) {
    begin();
    for (int steps = random_below(12); steps > 0 && !unknown; steps--) {
      int which = random_below(5);
      int wrong = which < 2 ? wrong_open() : which < 4 ? wrong_close() : wrong_replace();
      if (wrong) return wrong;
    }
    if (unknown) continue;
    followed++;
    int wrong = wrong_end();
    if (wrong) return wrong;
  }
  return followed > 100000 ? 0 : 6;
}

__attribute__((force_align_arg_pointer)) void start(void) {
  __asm__ volatile("syscall" : : "a"(231), "D"(first_difference()));
}
