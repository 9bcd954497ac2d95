/* What programs written for SeaHorn expect, in terms of this verifier's events. */
#ifndef SEAHORN_SEAHORN_H
#define SEAHORN_SEAHORN_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern void __VERIFIER_error(void);
extern void __VERIFIER_assume(int condition);
extern void __sea_assert_fail(const char *text, const char *file, int line);
#ifndef assume
#define assume __VERIFIER_assume
#endif
#define assume_not(condition) __VERIFIER_assume(!(condition))
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

#ifdef __cplusplus
}
#endif
#endif
