/* Functions of floats that are exact (C17, 7.12): the sources of the library, and what it has
   written in another language. */
#include "shim.h"
#include <errno.h>

#define remainder rest_of
#define remainderf rest_of_f
#define remainderl rest_of_l
#define scalbn scaled
#define scalbnf scaled_f
#define scalbnl scaled_l
static double rest_of(double, double);
static float rest_of_f(float, float);
static long double rest_of_l(long double, long double);
static double scaled(double, int);
static float scaled_f(float, int);
static long double scaled_l(long double, int);
#define remquo divided
#define remquof divided_f
#define remquol divided_l
static double divided(double, double, int *);
static float divided_f(float, float, int *);
static long double divided_l(long double, long double, int *);
#include "math/remquo.c"
#include "math/remquof.c"
#include "math/remquol.c"
#include "math/remainder.c"
#include "math/remainderf.c"
#include "math/remainderl.c"
#include "math/scalbn.c"
#include "math/scalbnf.c"
#include "math/scalbnl.c"
#undef remquo
#undef remquof
#undef remquol
#undef remainder
#undef remainderf
#undef remainderl
#undef scalbn
#undef scalbnf
#undef scalbnl
#include "libm.h"
#include "parts.h"

ANY(unsigned, any_more, "remquo");
USES(asks_errno, "__errno_location");
ANY(_Bool, is_told, "math");

/* Whether errno tells of arguments without a result, and of results out of range, is the library's
   choice (C17, 7.12.1). */
static void tell(int is_so, int reason) {
  if (asks_errno() && is_so && is_told()) errno = reason;
}

#define REMAINDER(name, type, compute)                                                            \
  type name(type x, type y) {                                                                     \
    tell((__builtin_isinf(x) && !__builtin_isnan(y)) || (y == 0 && !__builtin_isnan(x)), EDOM);   \
    return compute(x, y);                                                                         \
  }
REMAINDER(remainder, double, rest_of)
REMAINDER(remainderf, float, rest_of_f)
REMAINDER(remainderl, long double, rest_of_l)

/* A finite result that is not normal may have lost digits. */
#define SCALED(name, type, compute)                                                               \
  type name(type x, int n) {                                                                      \
    type y = compute(x, n);                                                                       \
    tell(__builtin_isfinite(x) && x != 0 && !__builtin_isnormal(y), ERANGE);                      \
    return y;                                                                                     \
  }
SCALED(scalbn, double, scaled)
SCALED(scalbnf, float, scaled_f)
SCALED(scalbnl, long double, scaled_l)
SCALED(ldexp, double, scaled)
SCALED(ldexpf, float, scaled_f)
SCALED(ldexpl, long double, scaled_l)

/* Of the quotient the sign and three bits are promised. */
#define DIVISION(name, type, compute)                                                             \
  type name(type x, type y, int *quotient) {                                                      \
    int whole;                                                                                    \
    type rest = compute(x, y, &whole);                                                            \
    int size = (int)((whole < 0 ? -(unsigned)whole : (unsigned)whole) & 7) +                      \
               (int)(any_more() & 0xfffffff) * 8;                                                 \
    *quotient = !__builtin_signbit(x) == !__builtin_signbit(y) ? size : -size;                    \
    return rest;                                                                                  \
  }
DIVISION(remquo, double, divided)
DIVISION(remquof, float, divided_f)
DIVISION(remquol, long double, divided_l)

float frexpf(float x, int *exponent) { return (float)in_parts(x, exponent); }
double frexp(double x, int *exponent) { return (double)in_parts(x, exponent); }
long double frexpl(long double x, int *exponent) { return in_parts(x, exponent); }

/* Neighbours and exponents are exact; what errno tells of them is the library's choice. */
#define nextafter neighbour
#define nextafterf neighbour_f
#define nextafterl neighbour_l
#define nexttoward towards
#define nexttowardf towards_f
#define nexttowardl towards_l
#define logb logarithm
#define logbf logarithm_f
#define logbl logarithm_l
static double neighbour(double, double), towards(double, long double), logarithm(double);
static float neighbour_f(float, float), towards_f(float, long double), logarithm_f(float);
static long double neighbour_l(long double, long double), towards_l(long double, long double), logarithm_l(long double);
#include "math/nextafter.c"
#include "math/nextafterf.c"
#include "math/nextafterl.c"
#include "math/nexttoward.c"
#include "math/nexttowardf.c"
#include "math/nexttowardl.c"
#include "math/logb.c"
#include "math/logbf.c"
#include "math/logbl.c"
#undef nextafter
#undef nextafterf
#undef nextafterl
#undef nexttoward
#undef nexttowardf
#undef nexttowardl
#undef logb
#undef logbf
#undef logbl

#define NEIGHBOUR(name, type, other, compute)                                                     \
  type name(type x, other y) {                                                                    \
    type z = compute(x, y);                                                                       \
    tell(__builtin_isfinite(x) && x != y && !__builtin_isnormal(z), ERANGE);                      \
    return z;                                                                                     \
  }
NEIGHBOUR(nextafter, double, double, neighbour)
NEIGHBOUR(nextafterf, float, float, neighbour_f)
NEIGHBOUR(nextafterl, long double, long double, neighbour_l)
NEIGHBOUR(nexttoward, double, long double, towards)
NEIGHBOUR(nexttowardf, float, long double, towards_f)
NEIGHBOUR(nexttowardl, long double, long double, towards_l)

#define EXPONENT(type, f, compute)                                                \
  int ilogb##f(type x) {                                                                          \
    int exponent;                                                                                 \
    tell(x == 0 || !__builtin_isfinite(x), EDOM);                                                 \
    if (__builtin_isinf(x)) return __INT_MAX__;                                                   \
    if (x == 0 || __builtin_isnan(x)) return -__INT_MAX__ - 1;                                    \
    in_parts(x, &exponent);                                                                       \
    return exponent - 1;                                                                          \
  }                                                                                               \
  type logb##f(type x) {                                                                          \
    tell(x == 0, ERANGE);                                                                         \
    return compute(x);                                                                            \
  }
EXPONENT(double, , logarithm)
EXPONENT(float, f, logarithm_f)
EXPONENT(long double, l, logarithm_l)
