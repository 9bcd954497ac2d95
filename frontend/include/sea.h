/* One vocabulary of functions for verification; docs/reference/vocabulary.md explains it.

   assume(c)                   blocks runs in which c is 0; c is a truth value of any width
   sassert(c)                  an error if c is 0
   nd_T()                      any value of the type T
   memhavoc(p, n)              the n bytes at p become arbitrary
   sea_is_dereferenceable(p, n)   whether n bytes at p lie in one live object
   bounded_malloc(n), bounded_calloc(k, n)   a heap block; a run that asks for too much is blocked
   can_fail_malloc(n), can_fail_calloc(k, n)   the same, or null */
#ifndef SEA_H
#define SEA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern void __SEA_assume(_Bool condition);
extern void __sea_assert_fail(const char *text, const char *file, int line);
#ifndef assume
#define assume __SEA_assume
#endif
#define assume_not(condition) __SEA_assume(!(condition))
#define sassert(condition) \
  ((condition) ? (void)0 : __sea_assert_fail(#condition, __FILE__, __LINE__))

extern _Bool nd_bool(void);
extern char nd_char(void);
extern signed char nd_schar(void);
extern unsigned char nd_uchar(void);
extern short nd_short(void);
extern unsigned short nd_ushort(void);
extern int nd_int(void);
extern unsigned int nd_uint(void);
extern unsigned int nd_unsigned(void);
extern long nd_long(void);
extern unsigned long nd_ulong(void);
extern long long nd_longlong(void);
extern unsigned long long nd_ulonglong(void);
extern __SIZE_TYPE__ nd_size_t(void);
extern __INT8_TYPE__ nd_int8_t(void);
extern __UINT8_TYPE__ nd_uint8_t(void);
extern __INT16_TYPE__ nd_int16_t(void);
extern __UINT16_TYPE__ nd_uint16_t(void);
extern __INT32_TYPE__ nd_int32_t(void);
extern __UINT32_TYPE__ nd_uint32_t(void);
extern __INT64_TYPE__ nd_int64_t(void);
extern __UINT64_TYPE__ nd_uint64_t(void);
extern float nd_float(void);
extern double nd_double(void);
extern void *nd_ptr(void);
extern void *nd_voidp(void);

extern void memhavoc(void *address, size_t size);
extern bool sea_is_dereferenceable(const void *address, intptr_t size);
extern void *bounded_malloc(size_t size);
extern void *bounded_calloc(size_t count, size_t size);
extern void *can_fail_malloc(size_t size);
extern void *can_fail_calloc(size_t count, size_t size);

#ifdef __cplusplus
}
#endif
#endif
