/* ctype.h (C17, 7.4).  Results and tables are those of glibc.  Its headers make some functions
   look-ups in tables, as by `__ctype_b_loc()`.  The tables here are those of the locale "C". */
#include "model.h"

enum {
  UPPER = 1 << 8,
  LOWER = 1 << 9,
  ALPHA = 1 << 10,
  DIGIT = 1 << 11,
  XDIGIT = 1 << 12,
  SPACE = 1 << 13,
  PRINT = 1 << 14,
  GRAPH = 1 << 15,
  BLANK = 1 << 0,
  CNTRL = 1 << 1,
  PUNCT = 1 << 2,
  ALNUM = 1 << 3
};

/* The class of a byte above 127 in the locale of the program, which the environment decides. */
enum { A_CAPITAL = 1, A_SMALL_LETTER, A_LETTER, A_SIGN, A_CONTROL, A_SPACE };

ANY_BYTES(any_table, "setlocale");
USES(has_locales, "setlocale.uselocale");
UNKNOWN(tables_are_unknown, "setlocale");
_Bool is_foreign __asm__("sea.locale.foreign");
byte kinds[128] __asm__("sea.locale.kinds");
byte partners[128] __asm__("sea.locale.partners"); /* letters of the other case */

static int kind(int c) {
  return has_locales() && is_foreign && c >= 128 && c <= 255 ? kinds[c - 128] & 7 : 0;
}

static int is_upper(int c) { return (c >= 'A' && c <= 'Z') || kind(c) == A_CAPITAL; }
static int is_lower(int c) { return (c >= 'a' && c <= 'z') || kind(c) == A_SMALL_LETTER; }
static int is_alpha(int c) { return is_upper(c) || is_lower(c) || kind(c) == A_LETTER; }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_graph(int c) { return (c > ' ' && c < 127) || (kind(c) >= A_CAPITAL && kind(c) <= A_SIGN); }
static int is_alnum(int c) { return is_alpha(c) || is_digit(c); }

/* The letter of the other case for a byte; the byte itself if it has none. */
static int partner(int c) {
  int other = partners[c - 128];
  int wanted = kind(c) == A_CAPITAL ? A_SMALL_LETTER : A_CAPITAL;
  return kind(other) == wanted ? other : c;
}

int isupper(int c) { return is_upper(c) ? UPPER : 0; }
int islower(int c) { return is_lower(c) ? LOWER : 0; }
int isalpha(int c) { return is_alpha(c) ? ALPHA : 0; }
int isdigit(int c) { return is_digit(c) ? DIGIT : 0; }
int isalnum(int c) { return is_alnum(c) ? ALNUM : 0; }
int isgraph(int c) { return is_graph(c) ? GRAPH : 0; }
int isprint(int c) { return c == ' ' || is_graph(c) ? PRINT : 0; }
int ispunct(int c) { return is_graph(c) && !is_alnum(c) ? PUNCT : 0; }
int isblank(int c) { return c == ' ' || c == '\t' ? BLANK : 0; }

int isspace(int c) {
  return c == ' ' || (c >= '\t' && c <= '\r') || kind(c) == A_SPACE ? SPACE : 0;
}

int iscntrl(int c) {
  return (c >= 0 && c < ' ') || c == 127 || kind(c) == A_CONTROL ? CNTRL : 0;
}

int isxdigit(int c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? XDIGIT : 0;
}

static int lower(int c) {
  if (c >= 'A' && c <= 'Z') return c + ('a' - 'A');
  return kind(c) == A_CAPITAL ? partner(c) : c;
}

static int upper(int c) {
  if (c >= 'a' && c <= 'z') return c - ('a' - 'A');
  return kind(c) == A_SMALL_LETTER ? partner(c) : c;
}

int isascii(int c) { return c >= 0 && c < 128; }
int toascii(int c) { return c & 127; }
int tolower(int c) { return lower(c); }
int toupper(int c) { return upper(c); }
int _tolower(int c) { return lower(c); }
int _toupper(int c) { return upper(c); }

/* Tables for -128 .. 255. */
#define AT(c) [128 + (c)]
#define RANGE(from, to) [128 + (from)... 128 + (to)]
#define SIGN (PRINT | GRAPH | PUNCT)
#define LETTER (PRINT | GRAPH | ALNUM | ALPHA)

static const unsigned short classes[384] = {
    RANGE(0, 8) = CNTRL,
    AT('\t') = CNTRL | SPACE | BLANK,
    RANGE('\n', '\r') = CNTRL | SPACE,
    RANGE(14, 31) = CNTRL,
    AT(' ') = SPACE | PRINT | BLANK,
    RANGE('!', '/') = SIGN,
    RANGE('0', '9') = PRINT | GRAPH | ALNUM | DIGIT | XDIGIT,
    RANGE(':', '@') = SIGN,
    RANGE('A', 'F') = LETTER | UPPER | XDIGIT,
    RANGE('G', 'Z') = LETTER | UPPER,
    RANGE('[', '`') = SIGN,
    RANGE('a', 'f') = LETTER | LOWER | XDIGIT,
    RANGE('g', 'z') = LETTER | LOWER,
    RANGE('{', '~') = SIGN,
    AT(127) = CNTRL,
};
static const unsigned short *const classes_from_0 = classes + 128;

/* Tables of another locale, with arbitrary contents. */
static unsigned short any_classes[384], *any_classes_from_0 = any_classes + 128;
static int any_cases[384], *any_cases_from_0 = any_cases + 128;

static _Bool has_other_tables(void) {
  if (!has_locales() || !is_foreign) return 0;
  tables_are_unknown();
  any_table(any_classes, sizeof any_classes);
  any_table(any_cases, sizeof any_cases);
  return 1;
}

const unsigned short *const *__ctype_b_loc(void) {
  if (has_other_tables()) return (const unsigned short *const *)&any_classes_from_0;
  return &classes_from_0;
}

#define FOUR(c) (c), (c) + 1, (c) + 2, (c) + 3
#define SIXTEEN(c) FOUR(c), FOUR((c) + 4), FOUR((c) + 8), FOUR((c) + 12)
#define LETTERS(c) SIXTEEN(c), FOUR((c) + 16), FOUR((c) + 20), (c) + 24, (c) + 25
#define NEGATIVE                                                                               \
  SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176), SIXTEEN(192), SIXTEEN(208),          \
      SIXTEEN(224), FOUR(240), FOUR(244), FOUR(248), 252, 253, 254, -1
#define CONTROL_AND_SIGNS SIXTEEN(0), SIXTEEN(16), SIXTEEN(32), SIXTEEN(48), '@'
#define BEYOND                                                                                 \
  FOUR('{'), 127, SIXTEEN(128), SIXTEEN(144), SIXTEEN(160), SIXTEEN(176), SIXTEEN(192),        \
      SIXTEEN(208), SIXTEEN(224), SIXTEEN(240)
#define BETWEEN_LETTERS FOUR('['), '_', '`'

static const int lowered[384] = {
    NEGATIVE, CONTROL_AND_SIGNS, LETTERS('a'), BETWEEN_LETTERS, LETTERS('a'), BEYOND};
static const int raised[384] = {
    NEGATIVE, CONTROL_AND_SIGNS, LETTERS('A'), BETWEEN_LETTERS, LETTERS('A'), BEYOND};
static const int *const lowered_from_0 = lowered + 128;
static const int *const raised_from_0 = raised + 128;

const int *const *__ctype_tolower_loc(void) {
  if (has_other_tables()) return (const int *const *)&any_cases_from_0;
  return &lowered_from_0;
}
const int *const *__ctype_toupper_loc(void) {
  if (has_other_tables()) return (const int *const *)&any_cases_from_0;
  return &raised_from_0;
}

size_t __ctype_get_mb_cur_max(void) { return 1; }
