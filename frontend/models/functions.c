/* Functions of math.h whose results each library rounds as it likes.  What C17 (F.10) says of special
   arguments is exact.  Otherwise a result has the sign and the bounds of the function, which the
   standard does not promise; no error rests on it. */
#include "model.h"

USES(asks_errno, "__errno_location");
ANY(_Bool, is_told, "math");
ANY(_Bool, is_range, "math");
ANY(double, any_double, "math");
ANY(float, any_float, "math");
ANY(long double, any_long, "math");

static void tell(void) {
  if (asks_errno() && is_told()) failed(is_range() ? ERANGE : EDOM, 0);
}

enum { SMALLEST_EXACT = 0, LARGEST_EXACT = 63 };

/* A power of integers that is exact as a double, or 0. */
static double exact_power(double x, double y, double limit) {
  if (!(x >= -limit && x <= limit) || !(y >= SMALLEST_EXACT && y <= LARGEST_EXACT)) return 0;
  long long base = (long long)x, power = 1;
  int times = (int)y;
  if ((double)base != x || (double)times != y || base == 0) return 0;
  for (; times > 0; times--)
    if (__builtin_mul_overflow(power, base, &power) || power > (1ll << 53) || power < -(1ll << 53)) return 0;
  return (double)power > limit || (double)power < -limit ? 0 : (double)power;
}

#define ARBITRARY(type, any, name)                                                                 \
  UNKNOWN(name##_is_unknown, #name);                                                              \
  static type some_##name(type lowest, type highest) {                                            \
    name##_is_unknown();                                                                          \
    tell();                                                                                       \
    type y = any();                                                                               \
    __VERIFIER_assume(y >= lowest && y <= highest);                                               \
    return y;                                                                                     \
  }

#define INFINITE __builtin_inf()
#define IS_NAN __builtin_isnan
#define IS_INFINITE(x) (__builtin_isinf_sign(x) != 0)
#define NO_NUMBER(x) ((x) - (x))

/* Each line: the condition, and what the result is then. */
#define FUNCTION(type, any, f, name, special)                                                     \
  ARBITRARY(type, any, name##f)                                                          \
  type name##f(type x) {                                                                          \
    const type low = -(type)INFINITE, high = (type)INFINITE;                                      \
    if (IS_NAN(x)) return x;                                                                      \
    special                                                                                       \
    return some_##name##f(low, high);                                                             \
  }
#define IF(condition, value) if (condition) { tell(); return value; }
#define AMONG(condition, least, most, name, f) if (condition) return some_##name##f(least, most);

#define ALL(type, any, f)                                                                         \
  FUNCTION(type, any, f, sin, IF(x == 0, x) IF(IS_INFINITE(x), NO_NUMBER(x)) AMONG(1, -1, 1, sin, f)) \
  FUNCTION(type, any, f, cos, IF(x == 0, 1) IF(IS_INFINITE(x), NO_NUMBER(x)) AMONG(1, -1, 1, cos, f)) \
  FUNCTION(type, any, f, tan, IF(x == 0, x) IF(IS_INFINITE(x), NO_NUMBER(x)))                     \
  FUNCTION(type, any, f, asin, IF(x == 0, x) IF(x > 1 || x < -1, NO_NUMBER(high))                 \
           AMONG(x > 0, 0, 1.5708f, asin, f) AMONG(1, -1.5708f, 0, asin, f))                      \
  FUNCTION(type, any, f, acos, IF(x == 1, 0) IF(x > 1 || x < -1, NO_NUMBER(high))                 \
           AMONG(1, 0, 3.1416f, acos, f))                                                         \
  FUNCTION(type, any, f, atan, IF(x == 0, x) AMONG(x > 0, 0, 1.5708f, atan, f)                    \
           AMONG(1, -1.5708f, 0, atan, f))                                                        \
  FUNCTION(type, any, f, sinh, IF(x == 0 || IS_INFINITE(x), x) AMONG(x > 0, 0, high, sinh, f)     \
           AMONG(1, low, 0, sinh, f))                                                             \
  FUNCTION(type, any, f, cosh, IF(x == 0, 1) IF(IS_INFINITE(x), high) AMONG(1, 1, high, cosh, f)) \
  FUNCTION(type, any, f, tanh, IF(x == 0, x) IF(x == high, 1) IF(x == low, -1)                    \
           AMONG(x > 0, 0, 1, tanh, f) AMONG(1, -1, 0, tanh, f))                                  \
  FUNCTION(type, any, f, exp, IF(x == 0, 1) IF(x == high, high) IF(x == low, 0)                   \
           AMONG(x > 0, 1, high, exp, f) AMONG(1, 0, 1, exp, f))                                  \
  FUNCTION(type, any, f, exp2, IF(x == 0, 1) IF(x == high, high) IF(x == low, 0)                  \
           AMONG(x > 0, 1, high, exp2, f) AMONG(1, 0, 1, exp2, f))                                \
  FUNCTION(type, any, f, expm1, IF(x == 0, x) IF(x == high, high) IF(x == low, -1)                \
           AMONG(x > 0, 0, high, expm1, f) AMONG(1, -1, 0, expm1, f))                             \
  FUNCTION(type, any, f, log, IF(x == 1, 0) IF(x == 0, low) IF(x < 0, NO_NUMBER(high)) IF(x == high, x) \
           AMONG(x > 1, 0, high, log, f) AMONG(1, low, 0, log, f))                                \
  FUNCTION(type, any, f, log2, IF(x == 1, 0) IF(x == 0, low) IF(x < 0, NO_NUMBER(high)) IF(x == high, x) \
           AMONG(x > 1, 0, high, log2, f) AMONG(1, low, 0, log2, f))                              \
  FUNCTION(type, any, f, log10, IF(x == 1, 0) IF(x == 0, low) IF(x < 0, NO_NUMBER(high)) IF(x == high, x) \
           AMONG(x > 1, 0, high, log10, f) AMONG(1, low, 0, log10, f))                            \
  FUNCTION(type, any, f, log1p, IF(x == 0, x) IF(x == -1, low) IF(x < -1, NO_NUMBER(high)) IF(x == high, x) \
           AMONG(x > 0, 0, high, log1p, f) AMONG(1, low, 0, log1p, f))                            \
  FUNCTION(type, any, f, cbrt, IF(x == 0 || IS_INFINITE(x), x) AMONG(x > 0, 0, high, cbrt, f)     \
           AMONG(1, low, 0, cbrt, f))                                                             \
  FUNCTION(type, any, f, erf, IF(x == 0, x) IF(x == high, 1) IF(x == low, -1)                     \
           AMONG(x > 0, 0, 1, erf, f) AMONG(1, -1, 0, erf, f))

ALL(double, any_double, )
ALL(float, any_float, f)
ALL(long double, any_long, l)

#define OF_TWO(type, any, f, limit)                                                               \
  ARBITRARY(type, any, atan2##f)                                                         \
  type atan2##f(type y, type x) {                                                                 \
    if (IS_NAN(x) || IS_NAN(y)) return x + y;                                                     \
    if (y == 0 && !__builtin_signbit(x)) { tell(); return y; }                                    \
    return __builtin_signbit(y) ? some_atan2##f(-3.1416f, 0) : some_atan2##f(0, 3.1416f);         \
  }                                                                                               \
  ARBITRARY(type, any, hypot##f)                                                         \
  type hypot##f(type x, type y) {                                                                 \
    type a = x < 0 ? -x : x, b = y < 0 ? -y : y;                                                  \
    if (IS_INFINITE(x) || IS_INFINITE(y)) return (type)INFINITE;                                  \
    if (IS_NAN(x) || IS_NAN(y)) return x + y;                                                     \
    if (a == 0 || b == 0) { tell(); return a + b; }                                               \
    return some_hypot##f(0, (type)INFINITE);                                                      \
  }                                                                                               \
  ARBITRARY(type, any, pow##f)                                                           \
  type pow##f(type x, type y) {                                                                   \
    if (y == 0 || x == 1) { tell(); return 1; }                                                   \
    if (IS_NAN(x) || IS_NAN(y)) return x + y;                                                     \
    type exact = (type)exact_power((double)x, (double)y, limit);                                  \
    if (exact != 0) { tell(); return exact; }                                                     \
    if (!__builtin_signbit(x)) return some_pow##f(0, (type)INFINITE);                             \
    pow##f##_is_unknown();                                                                        \
    tell();                                                                                       \
    return any();                                                                                 \
  }

OF_TWO(double, any_double, , 9007199254740992.0)
OF_TWO(float, any_float, f, 16777216.0)
OF_TWO(long double, any_long, l, 9007199254740992.0)
