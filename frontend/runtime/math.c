/* Functions of math.h that compiled code calls if the machine has no instruction for them: rounding to
   integral values, remainders, square roots.  All are weak, and exact or rounded to nearest, like the
   intrinsics of LLVM by whose names the verifier knows them. */

#include "runtime.h"

#define WEAK __attribute__((weak))

/* From LIMIT on, every number of the type is integral. */
#define TO_INTEGRAL(type, suffix, LIMIT)                                              \
  static int has_fraction##suffix(type x) { return x < (LIMIT) && x > -(LIMIT); }     \
  static type signed_as##suffix(type size, type x) {                                  \
    return __builtin_signbit(x) ? -__builtin_fabs##suffix(size)                       \
                                : __builtin_fabs##suffix(size);                       \
  }                                                                                   \
  static type truncated##suffix(type x) { return signed_as##suffix((type)(s64)x, x); } \
  WEAK type trunc##suffix(type x) { return has_fraction##suffix(x) ? truncated##suffix(x) : x; } \
  WEAK type floor##suffix(type x) {                                                   \
    if (!has_fraction##suffix(x)) return x;                                           \
    type whole = truncated##suffix(x);                                                \
    return whole > x ? whole - 1 : whole;                                             \
  }                                                                                   \
  WEAK type ceil##suffix(type x) {                                                    \
    if (!has_fraction##suffix(x)) return x;                                           \
    type whole = truncated##suffix(x);                                                \
    return signed_as##suffix(whole < x ? whole + 1 : whole, x);                       \
  }                                                                                   \
  WEAK type round##suffix(type x) {                                                   \
    if (!has_fraction##suffix(x)) return x;                                           \
    type whole = truncated##suffix(x);                                                \
    type rest = x - whole;                                                            \
    whole = rest >= (type)0.5 ? whole + 1 : rest <= (type)-0.5 ? whole - 1 : whole;   \
    return signed_as##suffix(whole, x);                                               \
  }                                                                                   \
  static type nearest##suffix(type x) {                                               \
    if (!has_fraction##suffix(x)) return x;                                           \
    type size = __builtin_fabs##suffix(x);                                            \
    /* volatile: the sum must be rounded to an integral value before LIMIT is subtracted again */ \
    volatile type sum = size + (LIMIT);                                               \
    return signed_as##suffix(sum - (LIMIT), x);                                       \
  }                                                                                   \
  WEAK type rint##suffix(type x) { return nearest##suffix(x); }                       \
  WEAK type nearbyint##suffix(type x) { return nearest##suffix(x); }                  \
  WEAK type roundeven##suffix(type x) { return nearest##suffix(x); }                  \
  WEAK type modf##suffix(type x, type *whole) {                                       \
    *whole = trunc##suffix(x);                                                        \
    type rest = x - *whole;                                                           \
    return *whole == x ? signed_as##suffix(0, x) : rest;                              \
  }

TO_INTEGRAL(float, f, 0x1p23f)
TO_INTEGRAL(double, , 0x1p52)
TO_INTEGRAL(long double, l, 0x1p63L)

/* The exact remainder; the machine's instruction is repeated until it is complete. */
static long double remaining(long double x, long double y) {
  u16 status;
  do {
    __asm__("fprem\n\tfnstsw %1" : "+t"(x), "=a"(status) : "u"(y));
  } while (status & 0x400);
  return x;
}

WEAK float fmodf(float x, float y) { return (float)remaining(x, y); }
WEAK double fmod(double x, double y) { return (double)remaining(x, y); }
WEAK long double fmodl(long double x, long double y) { return remaining(x, y); }

WEAK double sqrt(double x) {
  __asm__("sqrtsd %1, %0" : "=x"(x) : "x"(x));
  return x;
}

WEAK float sqrtf(float x) {
  __asm__("sqrtss %1, %0" : "=x"(x) : "x"(x));
  return x;
}

WEAK long double sqrtl(long double x) {
  __asm__("fsqrt" : "+t"(x));
  return x;
}
