/* Functions of floats that are exact (C17, 7.12): the sources of the library, and what it has
   written in another language. */
#include "shim.h"
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
#include "libm.h"
#include "parts.h"

float frexpf(float x, int *exponent) { return (float)in_parts(x, exponent); }
double frexp(double x, int *exponent) { return (double)in_parts(x, exponent); }
long double frexpl(long double x, int *exponent) { return in_parts(x, exponent); }
