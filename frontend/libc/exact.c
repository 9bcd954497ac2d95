/* Functions of the library that have a model which is easier to prove (--libc real): its sources. */
#include "shim.h"
#include <sys/types.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#define __intscan integer_in
static unsigned long long integer_in(struct _IO_FILE *, unsigned, int, unsigned long long);
static void __shlim(struct _IO_FILE *, off_t);
static int __shgetc(struct _IO_FILE *);
static int __toread(struct _IO_FILE *);
static void __toread_needs_stdio_exit();
static int __uflow(struct _IO_FILE *);
#include "stdio_impl.h"
#include "stdio/__toread.c"
#include "stdio/__uflow.c"
#include "internal/shgetc.c"
#include "internal/intscan.c"

/* Behind the text there is nothing. */
static size_t no_bytes(FILE *file, unsigned char *target, size_t size) { return 0; }
static size_t no_writing(FILE *file, const unsigned char *source, size_t size) { return 0; }

static unsigned long long number_in(const char *text, char **end, int base,
                                    unsigned long long limit) {
  FILE file = {.read = no_bytes, .write = no_writing};
  int before = errno;
  errno = 0;
  sh_fromstring(&file, text);
  shlim(&file, 0);
  unsigned long long value = integer_in(&file, (unsigned)base, 1, limit);
  _Bool is_base = base >= 0 && base != 1 && base <= 36;
  if (end != 0 && is_base) *end = (char *)text + shcnt(&file);
  if (errno == 0 || (errno == EINVAL && is_base)) errno = before;
  return value;
}

#define NUMBER(type, name, limit)                                                                 \
  type name(const char *text, char **end, int base) {                                             \
    return (type)number_in(text, end, base, limit);                                               \
  }
NUMBER(long, strtol, 0ul + LONG_MIN)
NUMBER(long long, strtoll, 0ull + LLONG_MIN)
NUMBER(unsigned long, strtoul, ULONG_MAX)
NUMBER(unsigned long long, strtoull, ULLONG_MAX)
NUMBER(long, __isoc23_strtol, 0ul + LONG_MIN)
NUMBER(unsigned long, __isoc23_strtoul, ULONG_MAX)
NUMBER(__INTMAX_TYPE__, strtoimax, 0ull + LLONG_MIN)
NUMBER(__UINTMAX_TYPE__, strtoumax, ULLONG_MAX)

int atoi(const char *text) { return (int)number_in(text, 0, 10, 0ul + LONG_MIN); }
long atol(const char *text) { return (long)number_in(text, 0, 10, 0ul + LONG_MIN); }
long long atoll(const char *text) { return (long long)number_in(text, 0, 10, 0ull + LLONG_MIN); }

#include "text.h"
#define basename __xpg_basename
#include "misc/basename.c"
#undef basename
