/* Functions of floats that are exact (C17, 7.12): the sources of the library, and what it has
   written in another language. */
#include "shim.h"

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
#include "math/ldexp.c"
#include "math/ldexpf.c"
#include "math/ldexpl.c"
#undef remquo
#undef remquof
#undef remquol
#include "libm.h"
#include "parts.h"

ANY(unsigned, any_more, "remquo");

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
