/* math.h, as far as no operation of the machine stands for a function: classes of floats under the
   names that headers give them, and functions made of few operations.  What has no simple exact
   meaning (trigonometry, logarithms, powers) has no model, so that its results are arbitrary. */

#include "model.h"

/* Whether errno tells of arguments without a result, and of results out of range, is the library's
   choice (C17, 7.12.1); programs that never look at errno need not know. */
USES(asks_errno, "__errno_location");
ANY(_Bool, is_told, "math");

static void tell(_Bool is_so, int reason) {
  if (asks_errno() && is_so && is_told()) *__errno_location() = reason;
}

#define TELLING(type, suffix)                                                                     \
  type told_sqrt##suffix(type x) __asm__("sea.told.sqrt" #suffix);                                \
  type told_sqrt##suffix(type x) {                                                                \
    tell(x < 0, EDOM);                                                                            \
    return __builtin_sqrt##suffix(x);                                                             \
  }                                                                                               \
  type told_fmod##suffix(type x, type y) __asm__("sea.told.fmod" #suffix);                        \
  type told_fmod##suffix(type x, type y) {                                                        \
    tell((__builtin_isinf_sign(x) && !__builtin_isnan(y)) || (y == 0 && !__builtin_isnan(x)), EDOM); \
    return __builtin_fmod##suffix(x, y);                                                          \
  }

TELLING(double, )
TELLING(float, f)
TELLING(long double, l)

/* The classes are those of glibc. */
enum { NAN_CLASS, INFINITE_CLASS, ZERO_CLASS, SUBNORMAL_CLASS, NORMAL_CLASS };

#define CLASSES(type, suffix)                                                                     \
  int __isnan##suffix(type x) { return __builtin_isnan(x); }                                      \
  int __isinf##suffix(type x) { return __builtin_isinf_sign(x); }                                 \
  int __finite##suffix(type x) { return __builtin_isfinite(x); }                                  \
  int isnan##suffix(type x) { return __builtin_isnan(x); }                                        \
  int isinf##suffix(type x) { return __builtin_isinf_sign(x); }                                   \
  int finite##suffix(type x) { return __builtin_isfinite(x); }                                    \
  int __signbit##suffix(type x) { return __builtin_signbit(x); }                                  \
  int __fpclassify##suffix(type x) {                                                              \
    return __builtin_fpclassify(NAN_CLASS, INFINITE_CLASS, NORMAL_CLASS, SUBNORMAL_CLASS,         \
                                ZERO_CLASS, x);                                                   \
  }

CLASSES(double, )
CLASSES(float, f)
CLASSES(long double, l)

int isfinite(double x) { return __builtin_isfinite(x); }
int isnormal(double x) { return __builtin_isnormal(x); }
int signbit(double x) { return __builtin_signbit(x); }

/* A conversion that does not fit gives the nearest integer, as casts do. */
#define NEAREST(type, suffix)                                                                     \
  type fdim##suffix(type x, type y) {                                                             \
    type z = x <= y ? 0 : x - y;                                                                  \
    tell(__builtin_isinf_sign(z) && __builtin_isfinite(x) && __builtin_isfinite(y), ERANGE);      \
    return z;                                                                                     \
  }                                                                                               \
  long lround##suffix(type x) { return (long)__builtin_elementwise_round(x); }                    \
  long long llround##suffix(type x) { return (long long)__builtin_elementwise_round(x); }         \
  long lrint##suffix(type x) { return (long)__builtin_elementwise_rint(x); }                      \
  long long llrint##suffix(type x) { return (long long)__builtin_elementwise_rint(x); }

NEAREST(double, )
NEAREST(float, f)
NEAREST(long double, l)

/* fenv.h: to nearest is where every program begins, and what changes it is refused. */
int fegetround(void) { return 0; }
