/* A float as a number from 0.5 up to 1 and a power of 2 (C17, 7.12.6.4), after libm.h. */
static long double in_parts(long double x, int *exponent) {
  union ldshape parts = {x};
  int bias = 0x3ffe;
  *exponent = 0;
  if (x == 0 || (parts.i.se & 0x7fff) == 0x7fff) return x;
  if ((parts.i.se & 0x7fff) == 0) {
    parts.f = x * 0x1p120L;
    bias += 120;
  }
  *exponent = (parts.i.se & 0x7fff) - bias;
  parts.i.se = (parts.i.se & 0x8000) | 0x3ffe;
  return parts.f;
}
