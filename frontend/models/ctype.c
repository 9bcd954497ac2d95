/* ctype.h in the C locale (C17, 7.4).  Results and tables are those of glibc, whose headers turn
   some of the functions into look-ups in `__ctype_b_loc()` and its like. */
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

static int is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static int is_lower(int c) { return c >= 'a' && c <= 'z'; }
static int is_alpha(int c) { return is_upper(c) || is_lower(c); }
static int is_digit(int c) { return c >= '0' && c <= '9'; }
static int is_graph(int c) { return c > ' ' && c < 127; }
static int is_alnum(int c) { return is_alpha(c) || is_digit(c); }

int isupper(int c) { return is_upper(c) ? UPPER : 0; }
int islower(int c) { return is_lower(c) ? LOWER : 0; }
int isalpha(int c) { return is_alpha(c) ? ALPHA : 0; }
int isdigit(int c) { return is_digit(c) ? DIGIT : 0; }
int isalnum(int c) { return is_alnum(c) ? ALNUM : 0; }
int isgraph(int c) { return is_graph(c) ? GRAPH : 0; }
int isprint(int c) { return c >= ' ' && c < 127 ? PRINT : 0; }
int ispunct(int c) { return is_graph(c) && !is_alnum(c) ? PUNCT : 0; }
int isblank(int c) { return c == ' ' || c == '\t' ? BLANK : 0; }
int isspace(int c) { return c == ' ' || (c >= '\t' && c <= '\r') ? SPACE : 0; }
int iscntrl(int c) { return (c >= 0 && c < ' ') || c == 127 ? CNTRL : 0; }

int isxdigit(int c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') ? XDIGIT : 0;
}

int isascii(int c) { return c >= 0 && c < 128; }
int toascii(int c) { return c & 127; }
int tolower(int c) { return is_upper(c) ? c + ('a' - 'A') : c; }
int toupper(int c) { return is_lower(c) ? c - ('a' - 'A') : c; }
int _tolower(int c) { return is_upper(c) ? c + ('a' - 'A') : c; }
int _toupper(int c) { return is_lower(c) ? c - ('a' - 'A') : c; }

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

const unsigned short *const *__ctype_b_loc(void) { return &classes_from_0; }

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

const int *const *__ctype_tolower_loc(void) { return &lowered_from_0; }
const int *const *__ctype_toupper_loc(void) { return &raised_from_0; }

size_t __ctype_get_mb_cur_max(void) { return 1; }
