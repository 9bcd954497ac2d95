/* locale.h (C17, 7.11): a program begins in the locale "C".  The environment decides which other
   locales exist, and which bytes above 127 are letters in them. */
#include "model.h"

ANY(_Bool, is_there, "setlocale");
ANY(_Bool, is_told, "setlocale");
ANY(_Bool, is_unknown, "setlocale");
ANY(unsigned, any_length, "setlocale");
ANY_BYTES(any_name, "setlocale");
ANY_BYTES(any_kinds, "setlocale");

enum { CTYPE = 0, ALL = 6, LAST = 12 };

USES(asks_errno, "__errno_location");
UNKNOWN(name_is_unknown, "setlocale");
UNKNOWN(conventions_are_unknown, "localeconv");

extern _Bool is_foreign __asm__("sea.locale.foreign");
extern byte kinds[128] __asm__("sea.locale.kinds");
extern byte partners[128] __asm__("sea.locale.partners");

static int named_category;
static char of_c[] = "C", others[1 << 17], *other;

static _Bool is_c(const char *text) {
  return text[0] == 'C' ? text[1] == 0
                        : text[0] == 'P' && text[1] == 'O' && text[2] == 'S' && text[3] == 'I' &&
                              text[4] == 'X' && text[5] == 0;
}

/* A failure, which may set `errno` to a reason: no standard has one. */
static char *no_locale(void) {
  return asks_errno() && is_told() ? nothing(is_unknown() ? ENOENT : EINVAL) : NULL;
}

static char *named(void) {
  size_t size = text_size(any_length(), sizeof others);
  other = others + (sizeof others - 1 - size);
  any_name(other, size);
  return other;
}

/* The name of a category's locale.  It is unknown if the locale was set for other categories. */
static char *name_of(int category) {
  if (other == NULL) return of_c;
  if (category == named_category) return other;
  name_is_unknown();
  named_category = category;
  return named();
}

char *setlocale(int category, const char *wanted) {
  if (wanted != NULL) claim_text(wanted);
  if (category < 0 || category > LAST) return no_locale();
  if (wanted == NULL) return name_of(category);
  _Bool c = is_c(wanted);
  if (c && (category == ALL || other == NULL)) {
    is_foreign = 0;
    other = NULL;
    return of_c;
  }
  if (!c && !is_there()) return no_locale();
  if (category == ALL || category == CTYPE) {
    is_foreign = !c;
    any_kinds(kinds, sizeof kinds);
    any_kinds(partners, sizeof partners);
  }
  if (asks_errno() && is_told()) *__errno_location() = ENOENT; /* from a search for the locale */
  named_category = category;
  return named();
}

/* How numbers are written in the locale "C" (C17, 7.11.2.1): a point, and nothing else is told. */
struct conventions {
  char *point, *other_texts[9];
  char counts[14];
};

struct conventions *localeconv(void) {
  static char point[] = ".", empty[] = "";
  static struct conventions of_c;
  if (other != NULL) conventions_are_unknown();
  of_c.point = point;
  for (int k = 0; k < 9; k++) of_c.other_texts[k] = empty;
  for (int k = 0; k < 14; k++) of_c.counts[k] = 127;
  return &of_c;
}
