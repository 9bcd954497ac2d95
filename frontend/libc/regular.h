/* What the sources of regular expressions share (POSIX, regex.h): the types are those of the headers
   that programs include. */
#define _REGEX_H
#include "shim.h"
#include <stdlib.h>
#include <stdint.h>
#include <limits.h>
#include <wchar.h>
#include <wctype.h>
#include "text.h"

typedef int regoff_t;
typedef struct { regoff_t rm_so, rm_eo; } regmatch_t;
typedef struct {
  void *__opaque;
  unsigned long padding[3];
  void *further[2];
  size_t re_nsub;
  unsigned flags;
} regex_t;

enum { REG_EXTENDED = 1, REG_ICASE = 2, REG_NEWLINE = 4, REG_NOSUB = 8, REG_NOTBOL = 1, REG_NOTEOL = 2 };
enum {
  REG_OK, REG_NOMATCH, REG_BADPAT, REG_ECOLLATE, REG_ECTYPE, REG_EESCAPE, REG_ESUBREG, REG_EBRACK,
  REG_EPAREN, REG_EBRACE, REG_BADBR, REG_ERANGE, REG_ESPACE, REG_BADRPT
};

int regcomp(regex_t *restrict, const char *restrict, int);
int regexec(const regex_t *restrict, const char *restrict, size_t, regmatch_t *restrict, int);
void regfree(regex_t *);

#define mbtowc one_byte
#define iswctype belongs
#define wctype class_named
#define towupper raised
#define towlower lowered
#define iswlower is_small
#define iswupper is_large
#define iswalnum is_alnum
#define qsort sorted
#define __tre_mem_new_impl new_area
#define __tre_mem_alloc_impl part_of_area
#define __tre_mem_destroy end_of_area
static int one_byte(wchar_t *restrict, const char *restrict, size_t);
typedef struct tre_mem_struct *area;
static area new_area(int, void *);
static void *part_of_area(area, int, void *, int, size_t);
static void end_of_area(area);
#include "classes.h"

UNKNOWN(character, "regcomp");

static int one_byte(wchar_t *restrict target, const char *restrict source, size_t size) {
  if ((unsigned char)*source >= 128 || (has_locales() && is_foreign)) character();
  *target = (unsigned char)*source;
  return *source != 0;
}

static int is_small(wint_t c) { return belongs(c, 7); }
static int is_large(wint_t c) { return belongs(c, 11); }
static int is_alnum(wint_t c) { return belongs(c, 1); }
