/* Texts of wide characters (C17, 7.29.4; POSIX).  The result of a comparison has a fixed sign and
   otherwise any value. */
#include "model.h"

typedef __WCHAR_TYPE__ wchar;
typedef wchar letter;

ANY(int, any_order, "wcscmp");
ANY(_Bool, tells_of_none, "wcstok");
USES(has_locales, "setlocale.uselocale");
UNKNOWN(order_of_locale, "wcscoll");
UNKNOWN(letters, "wcscasecmp");
extern _Bool is_foreign __asm__("sea.locale.foreign");

#include "letters.h"

static int difference(wchar left, wchar right) { return (left > right) - (left < right); }

static wchar *copied_within(wchar *target, const wchar *source, size_t size) {
  size_t i = 0;
  for (; i < size && source[i] != 0; i++) target[i] = source[i];
  wchar *end = target + i;
  for (; i < size; i++) target[i] = 0;
  return end;
}

static int compared(const wchar *left, const wchar *right, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (left[i] != right[i]) return difference(left[i], right[i]);
    if (left[i] == 0) return 0;
  }
  return 0;
}

/* The bytes of `count` characters; the greatest size, which no object has, if these are too many. */
static size_t bytes(size_t count) {
  size_t size;
  return __builtin_mul_overflow(count, sizeof(wchar), &size) ? ~(size_t)0 : size;
}

wchar *wmemcpy(wchar *target, const wchar *source, size_t count) {
  __builtin_memcpy(target, source, bytes(count));
  return target;
}

wchar *wmempcpy(wchar *target, const wchar *source, size_t count) {
  __builtin_memcpy(target, source, bytes(count));
  return target + count;
}

wchar *wmemmove(wchar *target, const wchar *source, size_t count) {
  __builtin_memmove(target, source, bytes(count));
  return target;
}

wchar *wmemset(wchar *target, wchar value, size_t count) {
  for (size_t i = 0; i < count; i++) target[i] = value;
  return target;
}

/* Both blocks must have `count` characters, wherever they differ. */
int wmemcmp(const wchar *left, const wchar *right, size_t count) {
  if (count > 0) {
    claim_readable(left, bytes(count));
    claim_readable(right, bytes(count));
  }
  for (size_t i = 0; i < count; i++)
    if (left[i] != right[i]) return ordered(difference(left[i], right[i]));
  return 0;
}

wchar *wmemchr(const wchar *block, wchar wanted, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (block[i] == wanted) return (wchar *)(block + i);
  return NULL;
}

size_t wcslen(const wchar *text) { return length(text); }

size_t wcsnlen(const wchar *text, size_t limit) { return length_within(text, limit); }

wchar *wcscpy(wchar *target, const wchar *source) {
  copied(target, source);
  return target;
}

wchar *wcpcpy(wchar *target, const wchar *source) { return copied(target, source); }

wchar *wcsncpy(wchar *target, const wchar *source, size_t size) {
  copied_within(target, source, size);
  return target;
}

wchar *wcpncpy(wchar *target, const wchar *source, size_t size) {
  return copied_within(target, source, size);
}

wchar *wcscat(wchar *target, const wchar *source) {
  copied(target + length(target), source);
  return target;
}

wchar *wcsncat(wchar *target, const wchar *source, size_t limit) {
  wchar *end = target + length(target);
  size_t i = 0;
  for (; i < limit && source[i] != 0; i++) end[i] = source[i];
  end[i] = 0;
  return target;
}

size_t wcslcpy(wchar *target, const wchar *source, size_t size) {
  size_t i = 0;
  for (; i + 1 < size && source[i] != 0; i++) target[i] = source[i];
  if (size > 0) target[i] = 0;
  return i + length(source + i);
}

size_t wcslcat(wchar *target, const wchar *source, size_t size) {
  size_t used = length_within(target, size);
  if (used == size) return size + length(source);
  size_t i = 0;
  for (; used + i + 1 < size && source[i] != 0; i++) target[used + i] = source[i];
  target[used + i] = 0;
  return used + i + length(source + i);
}

int wcscmp(const wchar *left, const wchar *right) {
  return ordered(compared(left, right, ~(size_t)0));
}

int wcsncmp(const wchar *left, const wchar *right, size_t limit) {
  return ordered(compared(left, right, limit));
}

/* The order of texts is arbitrary in any locale but "C". */
int wcscoll(const wchar *left, const wchar *right) {
  int order = compared(left, right, ~(size_t)0);
  if (!has_locales() || !is_foreign) return ordered(order);
  order_of_locale();
  return any_order();
}

static wchar lower(wchar c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; }

/* The library decides which other letters there are. */
static int compared_as_lower(const wchar *left, const wchar *right, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (lower(left[i]) != lower(right[i])) {
      if ((unsigned)left[i] > 127 && (unsigned)right[i] > 127) letters();
      return difference(lower(left[i]), lower(right[i]));
    }
    if (left[i] == 0) return 0;
  }
  return 0;
}

int wcscasecmp(const wchar *left, const wchar *right) {
  return ordered(compared_as_lower(left, right, ~(size_t)0));
}

int wcsncasecmp(const wchar *left, const wchar *right, size_t limit) {
  return ordered(compared_as_lower(left, right, limit));
}

wchar *wcschr(const wchar *text, wchar wanted) {
  while (*text != wanted) {
    if (*text == 0) return NULL;
    text++;
  }
  return (wchar *)text;
}

wchar *wcschrnul(const wchar *text, wchar wanted) {
  while (*text != 0 && *text != wanted) text++;
  return (wchar *)text;
}

wchar *wcsrchr(const wchar *text, wchar wanted) {
  const wchar *found = NULL;
  for (; *text != 0; text++)
    if (*text == wanted) found = text;
  return (wchar *)(wanted == 0 ? text : found);
}

static wchar *place_of(const wchar *text, const wchar *wanted) {
  size_t size = length(wanted);
  for (;; text++) {
    if (compared(text, wanted, size) == 0) return (wchar *)text;
    if (*text == 0) return NULL;
  }
}

wchar *wcsstr(const wchar *text, const wchar *wanted) { return place_of(text, wanted); }

wchar *wcswcs(const wchar *text, const wchar *wanted) { return place_of(text, wanted); }

size_t wcsspn(const wchar *text, const wchar *set) { return span(text, set, 1); }

size_t wcscspn(const wchar *text, const wchar *set) { return span(text, set, 0); }

wchar *wcspbrk(const wchar *text, const wchar *set) {
  const wchar *found = text + span(text, set, 0);
  return *found != 0 ? (wchar *)found : NULL;
}

wchar *wcstok(wchar *text, const wchar *set, wchar **rest) {
  if (text == NULL) text = *rest;
  if (text == NULL) return tells_of_none() ? nothing(EINVAL) : NULL;
  text += span(text, set, 1);
  if (*text == 0) {
    *rest = NULL;
    return NULL;
  }
  wchar *end = text + span(text, set, 0);
  *rest = *end != 0 ? end + 1 : NULL;
  *end = 0;
  return text;
}

wchar *wcsdup(const wchar *text) {
  size_t size = length(text);
  wchar *copy = malloc((size + 1) * sizeof(wchar));
  if (copy == NULL) return NULL;
  copied(copy, text);
  return copy;
}
