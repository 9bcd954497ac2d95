/* Functions of math.h that are no single operation of the machine: classes of floats, under the names
   that headers give them, and functions made of few operations.  Functions without a simple exact
   meaning (trigonometry, logarithms, powers) have no model, so their results are arbitrary. */

#include "model.h"

/* A library may or may not set errno for arguments without a result and for results out of range
   (C17, 7.12.1).  Programs that never look at errno need not make this choice. */
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

/* The numbers of the classes in glibc. */
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

/* A number that does not fit becomes the nearest integer that does, as in casts. */
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

/* fenv.h: every program begins with rounding to nearest; functions that change it are refused. */
int fegetround(void) { return 0; }

/* Parts of complex numbers (C17, 7.3.9). */
#define PARTS(type, suffix)                                                                       \
  type creal##suffix(type _Complex z) { return __real__ z; }                                      \
  type cimag##suffix(type _Complex z) { return __imag__ z; }                                      \
  type _Complex conj##suffix(type _Complex z) { return ~z; }

PARTS(double, )
PARTS(float, f)
PARTS(long double, l)
