/* Drawn inputs: random, boundary and dictionary values.

   A seed stands for a profile (the kinds of values that the run prefers) and a random sequence.  Some
   profiles restrict the choice, which finds runs that need a rare combination: few words of the
   dictionary, one value for each site, mostly zero.  If the program reads characters, these make a
   text for every other seed (`text.c`). */

#include "runtime.h"

enum profile {
  ZERO,
  ONE,
  SMALL,
  UNIFORM,
  DICTIONARY,
  MIXTURE,
  BOUNDARY,
  BITS,
  FIXED_PER_SITE,
  FEW_WORDS,
  MOSTLY_ZERO,
  MOSTLY_ONE,
  SIGNED_SMALL,
  DICTIONARY_OR_SMALL,
  FEW_VALUES,
  FIXED_WORD_PER_SITE,
  PROFILES,
  TEXT = PROFILES
};

enum { FEW = 4 };

static u64 state;
static u64 run_seed;
static enum profile profile;
static struct value few[FEW];

/* Splitmix64 (Steele, Lea, Flood 2014). */
static u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

u64 random64(void) { return mixed(state += 0x9e3779b97f4a7c15ull); }

u32 below(u32 bound) { return (u32)random64() % bound; }

static struct value number(s64 x) { return (struct value){(u64)x, x < 0 ? ~0ull : 0}; }

static struct value small(void) { return number(below(4) ? below(10) : below(300)); }

static struct value signed_small(void) { return number((s64)below(17) - 8); }

static struct value uniform(void) { return (struct value){random64(), random64()}; }

/* 2^k - 1, 2^k, 2^k + 1 and their negatives, with the width itself preferred. */
struct value boundary(u32 width) {
  u32 k = below(2) ? below(width) : width - 1 - below(2) * (width > 1);
  s64 step = (s64)below(3) - 1;
  struct value power = {k < 64 ? 1ull << k : 0, k < 64 ? 0 : 1ull << (k - 64)};
  struct value result = {power.low + (u64)step, power.high + (step < 0 ? ~0ull : 0)};
  result.high += result.low < power.low && step > 0;
  result.high += step < 0 && power.low > 0;
  if (below(2)) result = (struct value){~result.low + 1, ~result.high + !result.low};
  return result;
}

struct value word_of_dictionary(void) {
  const struct request *request = RUN->request;
  const struct value *words = (struct value *)((u8 *)request + request->words_at);
  if (request->words == 0) return signed_small();
  /* The dictionary begins with the words that occur most often. */
  u32 range = below(2) ? (u32)request->words : 1 + below((u32)request->words);
  return words[below(range)];
}

struct value mixture(u32 width) {
  switch (below(8)) {
    case 0: return uniform();
    case 1: return boundary(width);
    case 2: return number(below(2));
    case 3: return small();
    case 4: return signed_small();
    case 5: return number((s64)(random64() >> (32 + below(32))));
    default: return word_of_dictionary();
  }
}

void draw_begin(u64 seed) {
  run_seed = mixed(seed + 1);
  state = run_seed;
  profile = seed % PROFILES;
  if (profile <= ONE && seed >= PROFILES) profile = MIXTURE;
  if (RUN->request->texts && (seed % 2 || RUN->request->watch)) profile = TEXT;
  for (int i = 0; i < FEW; i++) few[i] = profile == FEW_VALUES ? mixture(32) : word_of_dictionary();
  if (profile == TEXT) text_begin();
}

/* A value that depends on the site alone. */
static struct value fixed(u32 site, u32 width) {
  u64 saved = state;
  state = mixed(run_seed + site);
  struct value result = profile == FIXED_PER_SITE ? mixture(width) : word_of_dictionary();
  state = saved;
  return result;
}

/* A truth value that seldom changes at a site, so that a text ends, but not at once. */
static struct value leaning(u32 site) {
  switch ((mixed(run_seed + site) >> 32) % 8) {
    case 0: return number(below(1024) == 0);
    case 1: return number(below(2));
    case 2:
    case 3: return number(below(64) > 0);
    default: return number(below(64) == 0);
  }
}

static struct value choose(u32 site, u32 width) {
  switch (profile) {
    case TEXT:
      if (width == 8) return number(text_character());
      return width == 1 ? leaning(site) : mixture(width);
    case ZERO: return number(0);
    case ONE: return number(1);
    case SMALL: return small();
    case UNIFORM: return uniform();
    case DICTIONARY: return word_of_dictionary();
    case BOUNDARY: return boundary(width);
    case BITS: return number(below(2));
    case FIXED_PER_SITE:
    case FIXED_WORD_PER_SITE: return fixed(site, width);
    case FEW_WORDS:
    case FEW_VALUES: return few[below(FEW)];
    case MOSTLY_ZERO: return below(8) ? number(0) : mixture(width);
    case MOSTLY_ONE: return below(8) ? number(1) : mixture(width);
    case SIGNED_SMALL: return signed_small();
    case DICTIONARY_OR_SMALL: return below(2) ? word_of_dictionary() : small();
    default: return mixture(width);
  }
}

/* A float: in half of the cases an integer or simple fraction, else any bits or a special value. */
static double real(u32 site) {
  union {
    u64 bits;
    double value;
  } any = {random64()};
  static const double special[] = {-0.0, 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0, 4.9e-324, 1.7e308};
  s64 whole = (s64)choose(site, 32).low;
  switch (below(8)) {
    case 0: return any.value;
    case 1: return special[below(6)];
    case 2: return (double)whole / (1 + below(16));
    case 3: return (double)(random64() >> 11) / 9007199254740992.0;
    default: return (double)whole;
  }
}

/* A count of texts or a length of one: mostly small, since a run takes as long as it is large. */
static struct value amount(u32 site, u32 width) {
  if (profile == TEXT) text_anew();
  if (profile <= ONE || below(64) == 0) return choose(site, width);
  return number(below(2) ? 1 + below(3) : below(64));
}

void draw(u32 site, u32 kind, struct value *out) {
  switch (kind) {
    case KIND_FLOAT: *(float *)out = (float)real(site); break;
    case KIND_DOUBLE: *(double *)out = real(site); break;
    case KIND_X87: *(long double *)out = real(site); break;
    case KIND_POINTER: break;
    default: *out = is_amount(site) ? amount(site, kind) : choose(site, kind);
  }
}
