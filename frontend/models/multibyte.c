/* Multibyte and wide characters in the locale "C" (C17, 7.22.7, 7.29.6 and 7.30): a byte below 128
   is the character with the same number.  The library decides what other bytes and characters mean;
   in other locales, the environment does. */
#include "model.h"

typedef __WCHAR_TYPE__ wchar;
typedef __WINT_TYPE__ wint;
typedef struct mbstate mbstate;

ANY(int, any_class, "iswalpha");
ANY(wint, any_letter, "towlower");
ANY(unsigned, any_kind, "wctype");
ANY(size_t, any_size, "mbrtowc");
ANY(wchar, any_character, "mbrtowc");
ANY(byte, any_byte, "wcrtomb");
UNKNOWN(class_is_unknown, "iswalpha");
UNKNOWN(character_is_unknown, "mbrtowc");
UNKNOWN(bytes_are_unknown, "wcrtomb");
USES(has_locales, "setlocale.uselocale");
extern _Bool is_foreign __asm__("sea.locale.foreign");

enum { MOST_BYTES = 16 };
static const size_t NONE = (size_t)-1;

static _Bool is_plain(unsigned c) { return c < 128 && !(has_locales() && is_foreign); }

/* -------------------------------------------------------------------------------------- classes */

static _Bool is_between(wint c, int low, int high) { return c >= (wint)low && c <= (wint)high; }

static _Bool is_letter(wint c) { return is_between(c | 32, 'a', 'z'); }

static _Bool is_digit(wint c) { return is_between(c, '0', '9'); }

static _Bool is_white(wint c) { return c == ' ' || is_between(c, '\t', '\r'); }

static _Bool is_graphic(wint c) { return is_between(c, '!', '~'); }

/* The numbers of the classes, as `wctype` gives them. */
enum { ALNUM = 1, ALPHA, BLANK, CNTRL, DIGIT, GRAPH, LOWER, PRINT, PUNCT, SPACE, UPPER, XDIGIT };

static _Bool belongs(wint c, unsigned long kind) {
  switch (kind) {
  case ALNUM: return is_letter(c) || is_digit(c);
  case ALPHA: return is_letter(c);
  case BLANK: return c == ' ' || c == '\t';
  case CNTRL: return c < ' ' || c == 127;
  case DIGIT: return is_digit(c);
  case GRAPH: return is_graphic(c);
  case LOWER: return is_between(c, 'a', 'z');
  case PRINT: return is_graphic(c) || c == ' ';
  case PUNCT: return is_graphic(c) && !is_letter(c) && !is_digit(c);
  case SPACE: return is_white(c);
  case UPPER: return is_between(c, 'A', 'Z');
  case XDIGIT: return is_digit(c) || is_between(c | 32, 'a', 'f');
  }
  return 0;
}

/* Whether a character has a class: 0, or any other number if it has.  WEOF has no class. */
static int class_of(wint c, unsigned long kind) {
  if (c == (wint)-1) return 0;
  int any = any_class();
  if (!is_plain(c)) {
    class_is_unknown();
    return any;
  }
  return !belongs(c, kind) ? 0 : any == 0 ? 1 : any;
}

int iswalnum(wint c) { return class_of(c, ALNUM); }
int iswalpha(wint c) { return class_of(c, ALPHA); }
int iswblank(wint c) { return class_of(c, BLANK); }
int iswcntrl(wint c) { return class_of(c, CNTRL); }
int iswgraph(wint c) { return class_of(c, GRAPH); }
int iswlower(wint c) { return class_of(c, LOWER); }
int iswprint(wint c) { return class_of(c, PRINT); }
int iswpunct(wint c) { return class_of(c, PUNCT); }
int iswspace(wint c) { return class_of(c, SPACE); }
int iswupper(wint c) { return class_of(c, UPPER); }

/* Digits are the same in every locale (C17, 7.30.2.1). */
static int digit_class(wint c, unsigned long kind) {
  int any = any_class();
  return !belongs(c, kind) ? 0 : any == 0 ? 1 : any;
}

int iswdigit(wint c) { return digit_class(c, DIGIT); }
int iswxdigit(wint c) { return digit_class(c, XDIGIT); }

static wint letter_of(wint c, int from, int to) {
  if (c == (wint)-1) return c;
  if (!is_plain(c)) {
    class_is_unknown();
    return any_letter();
  }
  return is_between(c, from, from + 25) ? c - (wint)from + (wint)to : c;
}

wint towlower(wint c) { return letter_of(c, 'A', 'a'); }
wint towupper(wint c) { return letter_of(c, 'a', 'A'); }

static _Bool is_same(const char *left, const char *right) {
  while (*left != 0 && *left == *right) left++, right++;
  return *left == *right;
}

static unsigned long kind_of(const char *name) {
  static const char *const names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                      "lower", "print", "punct", "space", "upper", "xdigit"};
  for (unsigned k = 0; k < 12; k++)
    if (is_same(name, names[k])) return k + 1;
  return 0;
}

/* A locale may have further classes. */
unsigned long wctype(const char *name) {
  unsigned long kind = kind_of(name);
  if (kind == 0 && has_locales() && is_foreign) {
    class_is_unknown();
    return any_kind();
  }
  return kind;
}

int iswctype(wint c, unsigned long kind) {
  if (kind > XDIGIT) class_is_unknown();
  return kind == 0 ? 0 : class_of(c, kind);
}

/* ---------------------------------------------------------------------------------- characters */

/* Store the first character of a text and give the number of its bytes, which is 0 for the last. */
static size_t character(wchar *target, const char *text, size_t size) {
  if (size == 0) return (size_t)-2;
  if (!is_plain((byte)*text)) {
    character_is_unknown();
    if (target != NULL) *target = any_character();
    size_t found = any_size();
    return found <= size || found >= (size_t)-2 ? found : 1;
  }
  if (target != NULL) *target = *text;
  return *text != 0;
}

/* Store the bytes of a character and give their number. */
static size_t written(char *target, wchar c) {
  if (!is_plain((unsigned)c)) {
    bytes_are_unknown();
    size_t found = any_size();
    if (found > MOST_BYTES) return (size_t)failed(EILSEQ, -1);
    for (size_t i = 0; i < found; i++) target[i] = (char)any_byte();
    return found;
  }
  *target = (char)c;
  return 1;
}

/* In the locale "C" there are no shift states. */
static int result_of(size_t found) {
  if (found == NONE) return failed(EILSEQ, -1);
  return found == (size_t)-2 ? -1 : (int)found;
}

int mblen(const char *text, size_t size) {
  return text == NULL ? 0 : result_of(character(NULL, text, size));
}

int mbtowc(wchar *target, const char *text, size_t size) {
  return text == NULL ? 0 : result_of(character(target, text, size));
}

int wctomb(char *target, wchar c) { return target == NULL ? 0 : (int)written(target, c); }

static size_t told(size_t found) {
  if (found == NONE) failed(EILSEQ, -1);
  return found;
}

size_t mbrtowc(wchar *target, const char *text, size_t size, mbstate *state) {
  return text == NULL ? 0 : told(character(target, text, size));
}

size_t mbrlen(const char *text, size_t size, mbstate *state) {
  return text == NULL ? 0 : told(character(NULL, text, size));
}

size_t wcrtomb(char *target, wchar c, mbstate *state) {
  return target == NULL ? 1 : written(target, c);
}

int mbsinit(const mbstate *state) {
  int any = any_class();
  return any == 0 ? 1 : any;
}

wint btowc(int c) {
  if (c == -1) return (wint)-1;
  if (!is_plain((byte)c)) {
    character_is_unknown();
    return any_letter();
  }
  return (byte)c;
}

int wctob(wint c) {
  if (c == (wint)-1) return -1;
  if (is_plain(c)) return (int)c;
  bytes_are_unknown();
  return any_class();
}

/* --------------------------------------------------------------------------------------- texts */

static size_t to_wide(wchar *target, const char *text, size_t size) {
  size_t n = 0;
  for (; target == NULL || n < size; n++, text++) {
    if (!is_plain((byte)*text)) {
      character_is_unknown();
      return NONE;
    }
    if (target != NULL) target[n] = *text;
    if (*text == 0) break;
  }
  return n;
}

static size_t to_bytes(char *target, const wchar *text, size_t size) {
  size_t n = 0;
  for (; target == NULL || n < size; n++, text++) {
    if (!is_plain((unsigned)*text)) {
      bytes_are_unknown();
      return NONE;
    }
    if (target != NULL) target[n] = (char)*text;
    if (*text == 0) break;
  }
  return n;
}

size_t mbstowcs(wchar *target, const char *text, size_t size) {
  return told(to_wide(target, text, size));
}

size_t wcstombs(char *target, const wchar *text, size_t size) {
  return told(to_bytes(target, text, size));
}

/* The source becomes null once its end was read. */
size_t mbsrtowcs(wchar *target, const char **text, size_t size, mbstate *state) {
  size_t n = to_wide(target, *text, size);
  if (target != NULL && n != NONE) *text = n < size ? NULL : *text + n;
  return told(n);
}

size_t wcsrtombs(char *target, const wchar **text, size_t size, mbstate *state) {
  size_t n = to_bytes(target, *text, size);
  if (target != NULL && n != NONE) *text = n < size ? NULL : *text + n;
  return told(n);
}
