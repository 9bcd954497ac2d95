/* Declarations of the __VERIFIER functions of the software verification competition. */
#ifndef SEA_VERIFIER_BUILTINS_H
#define SEA_VERIFIER_BUILTINS_H

#include <stddef.h>

extern void __VERIFIER_error(void) __attribute__((__noreturn__));
extern void __VERIFIER_assume(int condition);
extern void __VERIFIER_assert(int condition);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);

extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern signed char __VERIFIER_nondet_schar(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern unsigned int __VERIFIER_nondet_unsigned(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern char *__VERIFIER_nondet_pchar(void);
extern void *__VERIFIER_nondet_pointer(void);

#endif
