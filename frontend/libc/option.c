/* getopt (POSIX) and getopt_long (GNU): the sources of the library.  Their messages are not written. */
#define _GNU_SOURCE
#include "shim.h"
#define mbtowc one_byte
#define mblen one_character
#define __lctrans_cur untranslated
#define getopt next_option
static int next_option(int, char *const *, const char *);
static int one_byte(__WCHAR_TYPE__ *restrict, const char *restrict, __SIZE_TYPE__);
static int one_character(const char *, __SIZE_TYPE__);
static const char *untranslated(const char *);
static void __getopt_msg(const char *, const char *, const char *, __SIZE_TYPE__);
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "stdio_impl.h"
#undef FLOCK
#undef FUNLOCK
#undef stderr
#define FLOCK(file)
#define FUNLOCK(file)
#define stderr ((FILE *)0)
#define fputs(text, file) EOF
#include "text.h"
#include "misc/getopt.c"
#include "misc/getopt_long.c"

#undef getopt
ANY(_Bool, stays_within, "getopt");

/* Where the argument of the last option is missing, optind goes beyond the end (POSIX); glibc stays. */
int getopt(int count, char *const *arguments, const char *options) {
  int found = next_option(count, arguments, options);
  if (optind > count && stays_within()) optind = count;
  return found;
}

static int one_byte(wchar_t *restrict target, const char *restrict source, size_t size) {
  *target = (unsigned char)*source;
  return *source != 0;
}

static int one_character(const char *text, size_t size) { return *text != 0; }

static const char *untranslated(const char *text) { return text; }
