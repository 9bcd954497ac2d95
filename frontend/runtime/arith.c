/* Arithmetic that compiled code calls: division of integers twice as wide as a register, and on
   x86_64 conversions between 128-bit integers and floats.  Division by 0, and of the smallest number
   by -1, traps like the machine's own division. */

#include "runtime.h"

#define WEAK __attribute__((weak))

#define DIVISION(unsigned_type, signed_type, width, suffix)                                    \
  static unsigned_type divide(unsigned_type left, unsigned_type right, unsigned_type *rest) {  \
    unsigned_type quotient = 0, remainder = 0;                                                 \
    if (right == 0) __builtin_trap();                                                          \
    for (int bit = width - 1; bit >= 0; bit--) {                                               \
      int carry = (int)(remainder >> (width - 1));                                             \
      remainder = (remainder << 1) | ((left >> bit) & 1);                                      \
      if (!carry && remainder < right) continue;                                               \
      remainder -= right;                                                                      \
      quotient |= (unsigned_type)1 << bit;                                                     \
    }                                                                                          \
    *rest = remainder;                                                                         \
    return quotient;                                                                           \
  }                                                                                            \
  static unsigned_type magnitude(signed_type x) {                                              \
    return x < 0 ? -(unsigned_type)x : (unsigned_type)x;                                       \
  }                                                                                            \
  static void trap_on_overflow(signed_type left, signed_type right) {                          \
    if (right == -1 && left < 0 && magnitude(left) == (unsigned_type)left) __builtin_trap();   \
  }                                                                                            \
  WEAK unsigned_type __udiv##suffix##3(unsigned_type left, unsigned_type right) {              \
    unsigned_type rest;                                                                        \
    return divide(left, right, &rest);                                                         \
  }                                                                                            \
  WEAK unsigned_type __umod##suffix##3(unsigned_type left, unsigned_type right) {              \
    unsigned_type rest;                                                                        \
    divide(left, right, &rest);                                                                \
    return rest;                                                                               \
  }                                                                                            \
  WEAK signed_type __div##suffix##3(signed_type left, signed_type right) {                     \
    unsigned_type rest;                                                                        \
    trap_on_overflow(left, right);                                                             \
    unsigned_type quotient = divide(magnitude(left), magnitude(right), &rest);                 \
    return (signed_type)((left < 0) != (right < 0) ? -quotient : quotient);                    \
  }                                                                                            \
  WEAK signed_type __mod##suffix##3(signed_type left, signed_type right) {                     \
    unsigned_type rest;                                                                        \
    trap_on_overflow(left, right);                                                             \
    divide(magnitude(left), magnitude(right), &rest);                                          \
    return (signed_type)(left < 0 ? -rest : rest);                                             \
  }

#ifndef __x86_64__

DIVISION(u64, s64, 64, di)

#else

typedef unsigned __int128 u128;
typedef __int128 s128;

DIVISION(u128, s128, 128, ti)

/* 2^exponent for 0 <= exponent < 128, exact. */
static double power(int exponent) {
  union {
    u64 bits;
    double value;
  } result = {(u64)(1023 + exponent) << 52};
  return result.value;
}

/* The upper 64 bits, with a sticky lowest bit; they round to the same float as all bits. */
static u64 upper_bits(u128 x, int *shift) {
  *shift = 0;
  if (x >> 64 == 0) return (u64)x;
  *shift = 64 - __builtin_clzll((u64)(x >> 64));
  u128 lost = x & (((u128)1 << *shift) - 1);
  return (u64)(x >> *shift) | (lost != 0);
}

WEAK double __floatuntidf(u128 x) {
  int shift;
  u64 upper = upper_bits(x, &shift);
  return (double)upper * power(shift);
}

WEAK float __floatuntisf(u128 x) {
  int shift;
  u64 upper = upper_bits(x, &shift);
  return (float)((double)(float)upper * power(shift));
}

WEAK double __floattidf(s128 x) {
  return x < 0 ? -__floatuntidf(-(u128)x) : __floatuntidf((u128)x);
}

WEAK float __floattisf(s128 x) {
  return x < 0 ? -__floatuntisf(-(u128)x) : __floatuntisf((u128)x);
}

/* Rounds towards zero; a number that does not fit is undefined. */
WEAK u128 __fixunsdfti(double x) {
  union {
    double value;
    u64 bits;
  } given = {x};
  int exponent = (int)(given.bits >> 52 & 0x7ff) - 1075;
  u128 mantissa = (given.bits & ((1ull << 52) - 1)) | 1ull << 52;
  if (exponent < -52) return 0;
  if (exponent < 0) return mantissa >> -exponent;
  return exponent < 128 ? mantissa << exponent : 0;
}

WEAK s128 __fixdfti(double x) {
  return x < 0 ? -(s128)__fixunsdfti(-x) : (s128)__fixunsdfti(x);
}

WEAK u128 __fixunssfti(float x) { return __fixunsdfti(x); }

WEAK s128 __fixsfti(float x) { return __fixdfti(x); }

#endif
