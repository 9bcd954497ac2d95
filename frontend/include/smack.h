/* The functions of SMACK, in terms of this verifier's events. */
#ifndef SEA_SMACK_H
#define SEA_SMACK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern void __SEA_assume(_Bool condition);
extern void __sea_assert_fail(const char *text, const char *file, int line);
#define assume __SEA_assume
#undef assert
#define assert(condition) \
  ((condition) ? (void)0 : __sea_assert_fail(#condition, __FILE__, __LINE__))

#define SEA_SMACK_NONDET(name, type) extern type __VERIFIER_nondet_##name(void);
SEA_SMACK_NONDET(bool, _Bool)
SEA_SMACK_NONDET(char, char)
SEA_SMACK_NONDET(signed_char, signed char)
SEA_SMACK_NONDET(unsigned_char, unsigned char)
SEA_SMACK_NONDET(uchar, unsigned char)
SEA_SMACK_NONDET(short, short)
SEA_SMACK_NONDET(signed_short, signed short)
SEA_SMACK_NONDET(unsigned_short, unsigned short)
SEA_SMACK_NONDET(ushort, unsigned short)
SEA_SMACK_NONDET(int, int)
SEA_SMACK_NONDET(signed_int, signed int)
SEA_SMACK_NONDET(unsigned_int, unsigned int)
SEA_SMACK_NONDET(uint, unsigned int)
SEA_SMACK_NONDET(unsigned, unsigned int)
SEA_SMACK_NONDET(long, long)
SEA_SMACK_NONDET(signed_long, signed long)
SEA_SMACK_NONDET(unsigned_long, unsigned long)
SEA_SMACK_NONDET(ulong, unsigned long)
SEA_SMACK_NONDET(long_long, long long)
SEA_SMACK_NONDET(longlong, long long)
SEA_SMACK_NONDET(signed_long_long, signed long long)
SEA_SMACK_NONDET(unsigned_long_long, unsigned long long)
SEA_SMACK_NONDET(ulonglong, unsigned long long)
SEA_SMACK_NONDET(float, float)
SEA_SMACK_NONDET(double, double)
SEA_SMACK_NONDET(pointer, void *)
#undef SEA_SMACK_NONDET

extern int __SMACK_nondet(void);
#define __SMACK_nondet_int() __VERIFIER_nondet_int()
#define __SMACK_nondet_unsigned_int() __VERIFIER_nondet_unsigned_int()
#define __SMACK_nondet_char() __VERIFIER_nondet_char()
#define __SMACK_nondet_short() __VERIFIER_nondet_short()
#define __SMACK_nondet_long() __VERIFIER_nondet_long()

#endif
