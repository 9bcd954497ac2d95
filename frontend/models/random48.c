/* Random numbers of 48 bits (POSIX, drand48): the next is 0x5deece66d times the last plus 11, unless
   `lcong48` chose other factors.  A program without a seed begins with an arbitrary number. */
#include "model.h"

ANY(unsigned long long, any_bits, "drand48");
USES(seeds_48, "srand48.seed48.lcong48");

typedef unsigned long long bits;
enum { INCREMENT = 11 };
static const bits FACTOR = 0x5deece66d, MASK = ((bits)1 << 48) - 1;

static bits last, factor = FACTOR;
static unsigned short increment = INCREMENT;
static _Bool is_seeded;

static bits after(bits x) { return (x * factor + increment) & MASK; }

static bits joined(const unsigned short *parts) {
  return parts[0] | (bits)parts[1] << 16 | (bits)parts[2] << 32;
}

static void split(bits x, unsigned short *parts) {
  parts[0] = (unsigned short)x;
  parts[1] = (unsigned short)(x >> 16);
  parts[2] = (unsigned short)(x >> 32);
}

static bits next(void) {
  if (!seeds_48()) return any_bits() & MASK;
  if (!is_seeded) last = any_bits() & MASK;
  is_seeded = 1;
  return last = after(last);
}

static bits next_of(unsigned short *parts) {
  bits x = after(joined(parts));
  split(x, parts);
  return x;
}

static double fraction(bits x) { return (double)x / 281474976710656.0; }

static long signed_high(bits x) { return (int)(unsigned)(x >> 16); }

double drand48(void) { return fraction(next()); }
double erand48(unsigned short *state) { return fraction(next_of(state)); }
long lrand48(void) { return (long)(next() >> 17); }
long nrand48(unsigned short *state) { return (long)(next_of(state) >> 17); }
long mrand48(void) { return signed_high(next()); }
long jrand48(unsigned short *state) { return signed_high(next_of(state)); }

static void seed(bits x) {
  last = x;
  factor = FACTOR;
  increment = INCREMENT;
  is_seeded = 1;
}

void srand48(long x) { seed((bits)(unsigned)x << 16 | 0x330e); }

static unsigned short before[3];

unsigned short *seed48(unsigned short *state) {
  if (!is_seeded) last = any_bits() & MASK;
  split(last, before);
  seed(joined(state));
  return before;
}

void lcong48(unsigned short *chosen) {
  last = joined(chosen);
  factor = joined(chosen + 3);
  increment = chosen[6];
  is_seeded = 1;
}
