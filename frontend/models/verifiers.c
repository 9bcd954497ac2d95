/* Functions of other verifiers: an arbitrary number of a range (KLEE's without its end, Frama-C's with
   both bounds), allocations as in the proofs of aws-c-common for SeaHorn and CBMC, and whether pointers lead to one
   object (CBMC). */
#include "model.h"

int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
char __VERIFIER_nondet_char(void);
float __VERIFIER_nondet_float(void);
_Bool sea_is_dereferenceable(const void *, long);
double __VERIFIER_nondet_double(void);

int klee_range(int begin, int end, const char *name) {
  int x = __VERIFIER_nondet_int();
  __VERIFIER_assume(x >= begin && x < end);
  return x;
}

int klee_int(const char *name) { return __VERIFIER_nondet_int(); }

#define INTERVAL(type, name, any)                                                                  \
  type Frama_C_##name(type least, type greatest) {                                                 \
    type x = any();                                                                                \
    __VERIFIER_assume(x >= least && x <= greatest);                                                \
    return x;                                                                                      \
  }

INTERVAL(int, interval, __VERIFIER_nondet_int)
INTERVAL(unsigned, unsigned_int_interval, __VERIFIER_nondet_uint)
INTERVAL(long, long_interval, __VERIFIER_nondet_long)
INTERVAL(unsigned long, unsigned_long_interval, __VERIFIER_nondet_ulong)
INTERVAL(char, char_interval, __VERIFIER_nondet_char)
INTERVAL(float, float_interval, __VERIFIER_nondet_float)
INTERVAL(double, double_interval, __VERIFIER_nondet_double)

int Frama_C_nondet(int a, int b) { return __VERIFIER_nondet_int() ? a : b; }
void *Frama_C_nondet_ptr(void *a, void *b) { return __VERIFIER_nondet_int() ? a : b; }

/* The largest block in these proofs (proof_allocators.h): CBMC uses 8 bits of an address itself. */
#define LARGEST (__SIZE_MAX__ >> 9)

void *bounded_malloc(size_t size) {
  __VERIFIER_assume(size <= LARGEST);
  return malloc(size);
}

void *bounded_calloc(size_t count, size_t size) {
  __VERIFIER_assume(size == 0 || count <= LARGEST / size);
  return calloc(count, size);
}

void *can_fail_malloc(size_t size) { return __VERIFIER_nondet_int() ? NULL : bounded_malloc(size); }

void *can_fail_calloc(size_t count, size_t size) {
  return __VERIFIER_nondet_int() ? NULL : bounded_calloc(count, size);
}

/* A byte of the object of a pointer, which may lead behind its last byte.  Of other pointers it is assumed that nobody
   asks. */
static const char *byte_of(const char *p) {
  if (sea_is_dereferenceable(p, 1)) return p;
  __VERIFIER_assume(sea_is_dereferenceable(p - 1, 1));
  return p - 1;
}

int __sea_same_object(const void *a, const void *b) {
  if (a == NULL || b == NULL) return a == b;
  const char *low = byte_of(a), *high = byte_of(b);
  if (high < low) {
    const char *other = low;
    low = high;
    high = other;
  }
  return sea_is_dereferenceable(low, high - low + 1);
}

int __CPROVER_same_object(const void *a, const void *b) { return __sea_same_object(a, b); }
