/* Patterns of names, numbers in base 64 and names with versions (POSIX, fnmatch.h and stdlib.h; GNU):
   the sources of the library. */
#define _GNU_SOURCE
#include "shim.h"
#define mbtowc one_byte
#define iswctype belongs
#define wctype class_named
#define towupper raised
#define towlower lowered
#define strverscmp order_of_versions
static int one_byte(__WCHAR_TYPE__ *restrict, const char *restrict, __SIZE_TYPE__);
static int belongs(__WINT_TYPE__, unsigned long);
static unsigned long class_named(const char *);
static __WINT_TYPE__ raised(__WINT_TYPE__);
static __WINT_TYPE__ lowered(__WINT_TYPE__);
static int order_of_versions(const char *, const char *);
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>
#include <fnmatch.h>
#include "text.h"
#include "locale_impl.h"
#undef MB_CUR_MAX
#define MB_CUR_MAX 1
#include "classes.h"

UNKNOWN(character, "fnmatch");
UNKNOWN(form, "fnmatch");
ANY(int, any_order, "strverscmp");

static int one_byte(wchar_t *restrict target, const char *restrict source, size_t size) {
  if ((unsigned char)*source >= 128) character();
  *target = (unsigned char)*source;
  return *source != 0;
}

#define fnmatch matched
static int matched(const char *, const char *, int);
#include "regex/fnmatch.c"
#undef fnmatch

/* Collating symbols, classes that the locale "C" does not have, and letters of any locale are the
   library's choice. */
static void look_for_choices(const char *pattern) {
  for (; *pattern != 0; pattern++)
    if (pattern[0] == '[' && (pattern[1] == '.' || pattern[1] == '=' || pattern[1] == '^')) form();
  if (has_locales() && is_foreign) form();
}

int fnmatch(const char *pattern, const char *text, int flags) {
  look_for_choices(pattern);
  if ((flags & ~(FNM_NOESCAPE | FNM_PATHNAME | FNM_PERIOD)) != 0) form();
  return matched(pattern, text, flags);
}

UNKNOWN(sign, "a64l");
#define a64l number_in
static long number_in(const char *);
#include "misc/a64l.c"
#undef a64l

/* Where the highest of 32 bits is set, or one behind it, libraries differ. */
long a64l(const char *text) {
  if (length_up_to(text, 6) == 6 && text[5] != '.' && text[5] != '/') sign();
  return number_in(text);
}

#include "string/strverscmp.c"
#undef strverscmp

/* Of the result only the sign is promised. */
int strverscmp(const char *left, const char *right) {
  int order = order_of_versions(left, right), any = any_order();
  if (order < 0) return any < 0 ? any : -1;
  return order == 0 ? 0 : any > 0 ? any : 1;
}
