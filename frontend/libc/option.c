/* getopt (POSIX) and getopt_long (GNU): the sources of the library.  Their messages are not written. */
#define _GNU_SOURCE
#include "shim.h"
#define mbtowc one_byte
#define mblen one_character
#define __lctrans_cur untranslated
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

static int one_byte(wchar_t *restrict target, const char *restrict source, size_t size) {
  *target = (unsigned char)*source;
  return *source != 0;
}

static int one_character(const char *text, size_t size) { return *text != 0; }

static const char *untranslated(const char *text) { return text; }
