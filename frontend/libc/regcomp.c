/* Regular expressions that are compiled (POSIX, regex.h): the source of the library. */
#define _GNU_SOURCE
#include "regular.h"

UNKNOWN(form, "regcomp");

/* Insertion. */
static void sorted(void *array, size_t count, size_t size,
                   int (*compare)(const void *, const void *)) {
  for (size_t i = 1; i < count; i++)
    for (char *at = (char *)array + i * size;
         at > (char *)array && compare(at - size, at) > 0; at -= size)
      for (size_t k = 0; k < size; k++) {
        char kept = at[k];
        at[k] = (at - size)[k];
        (at - size)[k] = kept;
      }
}

#define regcomp compiled
static int compiled(regex_t *restrict, const char *restrict, int);
#include "regex/regcomp.c"
#include "area.h"
#undef regcomp

/* What follows a backslash beside the characters that have a meaning, and what is in brackets behind
   a dot or an equals sign, is the library's choice. */
static void look_for_choices(const char *pattern, _Bool extended) {
  for (; *pattern != 0; pattern++) {
    if (pattern[0] == '[' && (pattern[1] == '.' || pattern[1] == '=')) form();
    if (*pattern != '\\') continue;
    pattern++;
    if (*pattern == 0) return;
    if (place_of(extended ? "^.[]$()|*+?{}\\" : "^.[]$()*{}\\123456789", *pattern) == 0) form();
  }
}

int regcomp(regex_t *restrict target, const char *restrict pattern, int flags) {
  look_for_choices(pattern, (flags & REG_EXTENDED) != 0);
  return compiled(target, pattern, flags);
}
