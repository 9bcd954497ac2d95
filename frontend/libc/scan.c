/* Numbers and formatted input from text (C17, 7.21.6 and 7.22.1): the sources of the library, and
   where the standard leaves the outcome to it. */
#include "shim.h"
#include <sys/types.h>
#include <wchar.h>

#define __floatscan float_in
#define __intscan integer_in
#define vfscanf scan
#define mbrtowc one_byte
#define mbsinit is_between
#define iswspace is_white
#define memchr end_of_text
static long double float_in(struct _IO_FILE *, int, int);
static unsigned long long integer_in(struct _IO_FILE *, unsigned, int, unsigned long long);
static void __shlim(struct _IO_FILE *, off_t);
static int __shgetc(struct _IO_FILE *);
static int __toread(struct _IO_FILE *);
static void __toread_needs_stdio_exit();
static int __uflow(struct _IO_FILE *);
static int scan(struct _IO_FILE *restrict, const char *restrict, __builtin_va_list);
static size_t one_byte(wchar_t *restrict, const char *restrict, size_t, mbstate_t *restrict);
static int is_between(const mbstate_t *);
static int is_white(wint_t);
static long double scalbnl(long double, int);
static double scalbn(double, int);
static long double rest_of(long double, long double);

#include <math.h>
#include <stdlib.h>
#define copysignl __builtin_copysignl
#define fabsl __builtin_fabsl
#define fmodl rest_of
#include "stdio/__toread.c"
#include "stdio/__uflow.c"
#include "internal/shgetc.c"
#include "internal/intscan.c"
#include "internal/floatscan.c"
#include "math/scalbn.c"
#include "math/scalbnl.c"

UNKNOWN(point, "strtod");
UNKNOWN(small_result, "strtod");
UNKNOWN(wide_character, "sscanf");
UNKNOWN(too_large, "sscanf");
UNKNOWN(conversion, "sscanf");
ANY(_Bool, is_told, "strtod");
ANY(_Bool, is_small_told, "strtod");
USES(asks_errno, "__errno_location");
ANY(_Bool, is_told_of_none, "sscanf");
ANY(_Bool, forgets, "sscanf");
UNKNOWN(part, "sscanf");
ANY(_Bool, takes_part, "sscanf");
ANY(double, any_part, "sscanf");
ANY(unsigned long long, any_integer, "sscanf");

static size_t one_byte(wchar_t *restrict target, const char *restrict source, size_t size,
                       mbstate_t *restrict state) {
  if ((unsigned char)*source >= 128) wide_character();
  *target = (unsigned char)*source;
  return *source != 0;
}

/* The library divides by powers of 2 that are not far below the number: all of it is exact. */
static long double rest_of(long double x, long double power) {
  return x - (long double)(long long)(x / power) * power;
}

static int is_between(const mbstate_t *state) { return 1; }

/* Reads up to the end only, however much the library allows for. */
static void *end_of_text(const void *text, int end, size_t size) {
  const char *at = text;
  while (*at != 0) at++;
  return (void *)at;
}

/* That no number was found may be told in errno, or not. */
static void tell_of_none(int before) {
  int told = asks_errno() && errno == EINVAL && is_told_of_none();
  errno = told ? EINVAL : before;
}

static long double float_read(FILE *file, int precision, int pok) {
  if (has_locales() && is_foreign) point();
  return float_in(file, precision, pok);
}

/* What could go on as a number but does not, as "1e" and "0x", is none (C17, 7.21.6.2); glibc takes
   one. */
static _Bool is_taken_in_part(FILE *file, const unsigned char *begin) {
  if (shcnt(file) != 0 || file->rpos == begin) return 0;
  part();
  if (!takes_part()) return 0;
  file->shcnt++;
  return 1;
}

static long double float_scanned(FILE *file, int precision, int pok) {
  int before = errno;
  const unsigned char *begin = file->rpos;
  errno = 0;
  long double x = float_read(file, precision, pok);
  if (errno != ERANGE) tell_of_none(before);
  return is_taken_in_part(file, begin) ? any_part() : x;
}

/* Numbers that may not fit what they are stored in have no defined outcome. */
static unsigned long long integer_read(FILE *file, unsigned base, int pok,
                                       unsigned long long limit) {
  int before = errno;
  const unsigned char *begin = file->rpos;
  errno = 0;
  unsigned long long x = integer_in(file, base, pok, limit);
  if (errno == ERANGE) too_large();
  _Bool negative = file->rpos != begin && *begin == '-';
  unsigned long long magnitude = negative ? -x : x;
  if (magnitude > (unsigned long long)__LONG_MAX__ + negative) too_large();
  tell_of_none(before);
  return is_taken_in_part(file, begin) ? any_integer() : x;
}

/* Blocks for text (%m of POSIX) are not followed. */
static void *block(void) {
  conversion();
  return 0;
}

#define malloc(size) block()
#define realloc(old, size) block()
#define free(old)
#undef __floatscan
#undef __intscan
#define __floatscan float_scanned
#define __intscan integer_read
#include "stdio/vfscanf.c"

/* Pointers are written as the library likes. */
static int scan_known(FILE *restrict file, const char *restrict format, va_list arguments) {
  for (const char *at = format; *at != 0; at++) {
    if (*at != '%') continue;
    do at++;
    while ((*at >= '0' && *at <= '9') || *at == '*' || *at == '$' || *at == 'm');
    if (*at == 'p') conversion();
    if (*at == 0) break;
  }
  int count = scan(file, format, arguments);
  if (asks_errno() && forgets()) errno = 0; /* as glibc does at the end of the text */
  return count;
}

#undef vfscanf
#define vfscanf scan_known
#include "stdio/vsscanf.c"
#include "stdio/sscanf.c"

int __isoc99_vsscanf(const char *restrict text, const char *restrict format, va_list arguments) {
  return vsscanf(text, format, arguments);
}

int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

#define strtof float_of
#define strtod double_of
#define strtold long_double_of
static float float_of(const char *restrict, char **restrict);
static double double_of(const char *restrict, char **restrict);
#undef __floatscan
#define __floatscan float_read
static long double long_double_of(const char *restrict, char **restrict);
#include "stdlib/strtod.c"
#undef strtof
#undef strtod
#undef strtold

/* Of small results the library decides whether errno tells. */
#define SETTLE_SMALL(value, least)                                                                \
  if (value < least && -value < least && (errno == ERANGE || value != 0)) {                       \
    small_result();                                                                               \
    errno = is_small_told() ? ERANGE : 0;                                                         \
  }

/* Of errno, that nothing was found may be told. */
#define NUMBER(name, type, least)                                                                 \
  type name(const char *restrict text, char **restrict end) {                                     \
    int before = errno;                                                                           \
    char *last;                                                                                   \
    errno = 0;                                                                                    \
    type value = name##_(text, &last);                                                            \
    if (end) *end = last;                                                                         \
    SETTLE_SMALL(value, least)                                                                    \
    if (last == text) errno = is_told() ? EINVAL : 0;                                             \
    if (errno == 0) errno = before;                                                               \
    return value;                                                                                 \
  }
#define strtof_ float_of
#define strtod_ double_of
#define strtold_ long_double_of
NUMBER(strtof, float, __FLT_MIN__)
NUMBER(strtod, double, __DBL_MIN__)
NUMBER(strtold, long double, __LDBL_MIN__)

double atof(const char *text) { return strtod(text, 0); }

/* ------------------------------------------------------------------------ numbers in wide text */

static int is_white(wint_t c) { return c == ' ' || c - '\t' < 5; }

#define wcstol long_in
#define wcstoul unsigned_long_in
#define wcstoll long_long_in
#define wcstoull unsigned_long_long_in
#define wcstoimax greatest_in
#define wcstoumax unsigned_greatest_in
#define wcstof float_in_wide
#define wcstod double_in_wide
#define wcstold long_double_in_wide
#define WIDE(type, name) static type name(const wchar_t *restrict, wchar_t **restrict, int);
WIDE(long, wcstol)
WIDE(unsigned long, wcstoul)
WIDE(long long, wcstoll)
WIDE(unsigned long long, wcstoull)
WIDE(__INTMAX_TYPE__, wcstoimax)
WIDE(__UINTMAX_TYPE__, wcstoumax)
static float float_in_wide(const wchar_t *restrict, wchar_t **restrict);
static double double_in_wide(const wchar_t *restrict, wchar_t **restrict);
static long double long_double_in_wide(const wchar_t *restrict, wchar_t **restrict);
#undef __intscan
#define __intscan integer_in
#include "stdlib/wcstol.c"
#define do_read read_of_float
#define wcstox float_at
#include "stdlib/wcstod.c"
#undef wcstol
#undef wcstoul
#undef wcstoll
#undef wcstoull
#undef wcstoimax
#undef wcstoumax
#undef wcstof
#undef wcstod
#undef wcstold

/* That nothing was found may be told. */
static void settle(int before, _Bool is_found) {
  if (!is_found) errno = is_told() ? EINVAL : 0;
  if (errno == 0) errno = before;
}

#define WIDE_NUMBER(type, name, read)                                                             \
  type name(const wchar_t *restrict text, wchar_t **restrict end, int base) {                     \
    int before = errno;                                                                           \
    wchar_t *last = (wchar_t *)text;                                                              \
    errno = 0;                                                                                    \
    type value = read(text, &last, base);                                                         \
    if (end) *end = last;                                                                         \
    if (base < 0 || base == 1 || base > 36)                                                       \
      errno = EINVAL;                                                                             \
    else                                                                                          \
      settle(before, last != text);                                                               \
    return value;                                                                                 \
  }
WIDE_NUMBER(long, wcstol, long_in)
WIDE_NUMBER(unsigned long, wcstoul, unsigned_long_in)
WIDE_NUMBER(long long, wcstoll, long_long_in)
WIDE_NUMBER(unsigned long long, wcstoull, unsigned_long_long_in)
WIDE_NUMBER(__INTMAX_TYPE__, wcstoimax, greatest_in)
WIDE_NUMBER(__UINTMAX_TYPE__, wcstoumax, unsigned_greatest_in)

#define WIDE_FLOAT(type, name, read, least)                                                       \
  type name(const wchar_t *restrict text, wchar_t **restrict end) {                               \
    int before = errno;                                                                           \
    wchar_t *last = (wchar_t *)text;                                                              \
    errno = 0;                                                                                    \
    type value = read(text, &last);                                                               \
    if (end) *end = last;                                                                         \
    SETTLE_SMALL(value, least)                                                                    \
    settle(before, last != text);                                                                 \
    return value;                                                                                 \
  }
WIDE_FLOAT(float, wcstof, float_in_wide, __FLT_MIN__)
WIDE_FLOAT(double, wcstod, double_in_wide, __DBL_MIN__)
WIDE_FLOAT(long double, wcstold, long_double_in_wide, __LDBL_MIN__)
