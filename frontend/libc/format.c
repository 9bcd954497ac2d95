/* Formatted output into memory (C17, 7.21.6): the sources of the library, and where a conversion is
   one that libraries print as they like. */
#include "shim.h"

#define vfprintf print
#define fwrite written
#define strnlen length_of_text
#define wctomb one_byte
#define frexpl in_parts_here
static int print(struct _IO_FILE *restrict, const char *restrict, __builtin_va_list);
static int __towrite(struct _IO_FILE *);
static void __towrite_needs_stdio_exit();
static __SIZE_TYPE__ __fwritex(const unsigned char *restrict, __SIZE_TYPE__,
                               struct _IO_FILE *restrict);
static __SIZE_TYPE__ written(const void *restrict, __SIZE_TYPE__, __SIZE_TYPE__,
                             struct _IO_FILE *restrict);
static __SIZE_TYPE__ length_of_text(const char *, __SIZE_TYPE__);
static int one_byte(char *, __WCHAR_TYPE__);
static long double in_parts_here(long double, int *);

#include "stdio/__towrite.c"
#include "stdio/fwrite.c"
#include "stdio/vfprintf.c"
#include "libm.h"
#include "parts.h"

UNKNOWN(conversion, "printf");
UNKNOWN(null_text, "printf");
UNKNOWN(wide_character, "printf");
UNKNOWN(point, "printf");
UNKNOWN(failure, "printf");

/* The library writes "(null)" for a null pointer, which no program may pass. */
static size_t length_of_text(const char *text, size_t limit) {
  static const char null[] = "(null)";
  size_t n = 0, same = 0;
  for (; n < limit && text[n] != 0; n++) same += n < 6 && text[n] == null[n];
  if (n == 6 && same == 6) null_text();
  return n;
}

static int one_byte(char *target, wchar_t c) {
  if ((unsigned)c >= 128) wide_character();
  *target = (char)c;
  return 1;
}

static long double in_parts_here(long double x, int *exponent) {
  if (has_locales() && is_foreign) point();
  return in_parts(x, exponent);
}

static _Bool is_in(char c, const char *set) {
  for (; *set != 0; set++)
    if (c == *set) return 1;
  return 0;
}

/* Pointers, groups of digits and the first digit of hexadecimal floats are the library's choice. */
static void look_for_choices(const char *format) {
  for (; *format != 0; format++) {
    if (*format != '%') continue;
    for (format++; is_in(*format, " +-#'0123456789.*$hlLqjzt"); format++)
      if (*format == '\'') conversion();
    if (is_in(*format, "paA")) conversion();
    if (*format == 0) return;
  }
}

static int print_known(FILE *restrict file, const char *restrict format, va_list arguments) {
  look_for_choices(format);
  int length = print(file, format, arguments);
  if (length < 0) failure();
  return length;
}

#undef vfprintf
#define vfprintf print_known
#undef MIN
#include "stdio/vsnprintf.c"
#include "stdio/snprintf.c"
#include "stdio/vsprintf.c"
#include "stdio/sprintf.c"
#include <stdlib.h>
#include "stdio/vasprintf.c"
#include "stdio/asprintf.c"
