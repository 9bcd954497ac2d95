/* string.h and strings.h (C17, 7.24; POSIX).  Bytes are compared as unsigned numbers.  The result of
   a comparison has a fixed sign and otherwise any value. */
#include "model.h"

ANY(int, any_order, "strcmp");
ANY(int, any_difference, "bcmp");
ANY(unsigned, any_length, "strerror");
ANY_BYTES(any_message, "strerror");
ANY(unsigned, any_size, "strsignal");
ANY_BYTES(any_name, "strsignal");
ANY(_Bool, is_known, "strerror_r");
ANY(size_t, any_used, "strxfrm");
ANY_BYTES(any_key, "strxfrm");
USES(has_locales, "setlocale.uselocale");
UNKNOWN(order_of_locale, "strcoll");
ANY(size_t, any_place, "strcasestr");
ANY(_Bool, goes_further, "strspn");
UNKNOWN(letters_of_locale, "strcasestr");
extern _Bool is_foreign __asm__("sea.locale.foreign");

typedef char letter;
#include "letters.h"

/* The result of a comparison in the locale, which is arbitrary in any locale but "C". */
static int order_in_locale(int difference) {
  if (!has_locales() || !is_foreign) return ordered(difference);
  order_of_locale();
  return any_order();
}

static byte lower(char c) { return (byte)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c); }

static int compared(const char *left, const char *right, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (left[i] != right[i]) return (byte)left[i] - (byte)right[i];
    if (left[i] == 0) return 0;
  }
  return 0;
}

static int compared_as_lower(const char *left, const char *right, size_t limit) {
  for (size_t i = 0; i < limit; i++) {
    if (lower(left[i]) != lower(right[i])) return lower(left[i]) - lower(right[i]);
    if (left[i] == 0) return 0;
  }
  return 0;
}

static int compared_bytes(const byte *left, const byte *right, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (left[i] != right[i]) return left[i] - right[i];
  return 0;
}

static char *first(const char *text, char wanted) {
  while (*text != wanted) {
    if (*text == 0) return NULL;
    text++;
  }
  return (char *)text;
}

static char *last(const char *text, char wanted) {
  const char *found = NULL;
  for (; *text != 0; text++)
    if (*text == wanted) found = text;
  return (char *)(wanted == 0 ? text : found);
}

static char *duplicate(const char *text, size_t size) {
  char *copy = malloc(size + 1);
  if (copy == NULL) return NULL;
  for (size_t i = 0; i < size; i++) copy[i] = text[i];
  copy[size] = 0;
  return copy;
}

void *memcpy(void *target, const void *source, size_t size) {
  __builtin_memcpy(target, source, size);
  return target;
}

void *memmove(void *target, const void *source, size_t size) {
  __builtin_memmove(target, source, size);
  return target;
}

void *memset(void *target, int value, size_t size) {
  __builtin_memset(target, value, size);
  return target;
}

void *mempcpy(void *target, const void *source, size_t size) {
  __builtin_memcpy(target, source, size);
  return (char *)target + size;
}

void *memccpy(void *target, const void *source, int wanted, size_t size) {
  byte *to = target;
  const byte *from = source;
  for (size_t i = 0; i < size; i++) {
    to[i] = from[i];
    if (from[i] == (byte)wanted) return to + i + 1;
  }
  return NULL;
}

void bcopy(const void *source, void *target, size_t size) {
  __builtin_memmove(target, source, size);
}

void bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }

void explicit_bzero(void *target, size_t size) { __builtin_memset(target, 0, size); }

/* Both blocks must have `size` bytes, wherever they differ (C17, 7.24.4.1). */
static int compared_blocks(const void *left, const void *right, size_t size) {
  if (size > 0) {
    claim_readable(left, size);
    claim_readable(right, size);
  }
  return ordered(compared_bytes(left, right, size));
}

int memcmp(const void *left, const void *right, size_t size) {
  return compared_blocks(left, right, size);
}

/* 0 if the blocks are equal, and any other number if they differ (POSIX 2001). */
int bcmp(const void *left, const void *right, size_t size) {
  if (compared_blocks(left, right, size) == 0) return 0;
  int any = any_difference();
  return any != 0 ? any : 1;
}

void *memchr(const void *block, int wanted, size_t size) {
  const byte *bytes = block;
  for (size_t i = 0; i < size; i++)
    if (bytes[i] == (byte)wanted) return (void *)(bytes + i);
  return NULL;
}

void *memrchr(const void *block, int wanted, size_t size) {
  const byte *bytes = block;
  while (size > 0) {
    size--;
    if (bytes[size] == (byte)wanted) return (void *)(bytes + size);
  }
  return NULL;
}

void *rawmemchr(const void *block, int wanted) {
  const byte *bytes = block;
  while (*bytes != (byte)wanted) bytes++;
  return (void *)bytes;
}

void *memmem(const void *block, size_t size, const void *wanted, size_t wanted_size) {
  const byte *bytes = block;
  if (size > 0) claim_readable(block, size);
  if (wanted_size > 0) claim_readable(wanted, wanted_size);
  for (size_t i = 0; wanted_size <= size && i <= size - wanted_size; i++)
    if (compared_bytes(bytes + i, wanted, wanted_size) == 0) return (void *)(bytes + i);
  return NULL;
}

size_t strlen(const char *text) { return length(text); }

size_t strnlen(const char *text, size_t limit) { return length_within(text, limit); }

char *strcpy(char *target, const char *source) {
  copied(target, source);
  return target;
}

char *stpcpy(char *target, const char *source) { return copied(target, source); }

static char *copied_within(char *target, const char *source, size_t size) {
  size_t i = 0;
  for (; i < size && source[i] != 0; i++) target[i] = source[i];
  char *end = target + i;
  for (; i < size; i++) target[i] = 0;
  return end;
}

char *strncpy(char *target, const char *source, size_t size) {
  copied_within(target, source, size);
  return target;
}

char *stpncpy(char *target, const char *source, size_t size) {
  return copied_within(target, source, size);
}

char *strcat(char *target, const char *source) {
  copied(target + length(target), source);
  return target;
}

char *strncat(char *target, const char *source, size_t limit) {
  char *end = target + length(target);
  size_t i = 0;
  for (; i < limit && source[i] != 0; i++) end[i] = source[i];
  end[i] = 0;
  return target;
}

size_t strlcpy(char *target, const char *source, size_t size) {
  size_t i = 0;
  for (; i + 1 < size && source[i] != 0; i++) target[i] = source[i];
  if (size > 0) target[i] = 0;
  return i + length(source + i);
}

size_t strlcat(char *target, const char *source, size_t size) {
  size_t used = length_within(target, size);
  if (used == size) return size + length(source);
  size_t i = 0;
  for (; used + i + 1 < size && source[i] != 0; i++) target[used + i] = source[i];
  target[used + i] = 0;
  return used + i + length(source + i);
}

int strcmp(const char *left, const char *right) {
  return ordered(compared(left, right, ~(size_t)0));
}

int strcoll(const char *left, const char *right) {
  return order_in_locale(compared(left, right, ~(size_t)0));
}

int strncmp(const char *left, const char *right, size_t limit) {
  return ordered(compared(left, right, limit));
}

int strcasecmp(const char *left, const char *right) {
  return order_in_locale(compared_as_lower(left, right, ~(size_t)0));
}

int strncasecmp(const char *left, const char *right, size_t limit) {
  return order_in_locale(compared_as_lower(left, right, limit));
}

char *strchr(const char *text, int wanted) { return first(text, (char)wanted); }

char *index(const char *text, int wanted) { return first(text, (char)wanted); }

char *strrchr(const char *text, int wanted) { return last(text, (char)wanted); }

char *rindex(const char *text, int wanted) { return last(text, (char)wanted); }

char *strchrnul(const char *text, int wanted) {
  while (*text != 0 && *text != (char)wanted) text++;
  return (char *)text;
}

char *strstr(const char *text, const char *wanted) {
  size_t size = length(wanted);
  for (;; text++) {
    if (compared(text, wanted, size) == 0) return (char *)text;
    if (*text == 0) return NULL;
  }
}

/* In any locale but "C", it is not known which letters are the same. */
char *strcasestr(const char *text, const char *wanted) {
  size_t size = length(wanted);
  claim_text(text);
  if (has_locales() && is_foreign) {
    letters_of_locale();
    size_t place = any_place();
    return place <= length(text) ? (char *)text + place : NULL;
  }
  for (;; text++) {
    if (compared_as_lower(text, wanted, size) == 0) return (char *)text;
    if (*text == 0) return NULL;
  }
}

/* How far any of the characters go. */
static size_t loose_length(const char *text) {
  size_t n = 0;
  while (text[n] != 0 && goes_further()) n++;
  return n;
}

static size_t span_of(const char *text, const char *set, int wanted) {
  if (!is_loose) return span(text, set, wanted);
  if (*text != 0) loose_length(set);
  return loose_length(text);
}

size_t strspn(const char *text, const char *set) { return span_of(text, set, 1); }

size_t strcspn(const char *text, const char *set) { return span_of(text, set, 0); }

char *strpbrk(const char *text, const char *set) {
  const char *found = text + span_of(text, set, 0);
  return *found != 0 ? (char *)found : NULL;
}

char *strsep(char **rest, const char *set) {
  char *token = *rest;
  if (token == NULL) return NULL;
  char *end = token + span_of(token, set, 0);
  *rest = *end != 0 ? end + 1 : NULL;
  *end = 0;
  return token;
}

static char *token_of(char *text, const char *set, char **rest) {
  if (text == NULL) text = *rest;
  if (text == NULL) return NULL;
  text += span_of(text, set, 1);
  if (*text == 0) {
    *rest = text;
    return NULL;
  }
  char *end = text + span_of(text, set, 0);
  *rest = *end != 0 ? end + 1 : end;
  *end = 0;
  return text;
}

char *strtok_r(char *text, const char *set, char **rest) { return token_of(text, set, rest); }

static char *where_strtok_goes_on;

char *strtok(char *text, const char *set) { return token_of(text, set, &where_strtok_goes_on); }

char *strdup(const char *text) { return duplicate(text, length(text)); }

char *__strdup(const char *text) { return duplicate(text, length(text)); }

char *strndup(const char *text, size_t limit) {
  return duplicate(text, length_within(text, limit));
}

/* The library decides about the text for a number; a call for another number may overwrite it. */
static char messages[1 << 17], *message;
static int shown_number;

char *strerror(int number) {
  if (message == NULL || number != shown_number) {
    size_t size = text_size(any_length(), sizeof messages);
    message = messages + (sizeof messages - 1 - size);
    any_message(message, size);
    shown_number = number;
  }
  return message;
}

/* The text of a signal, as that of an error. */
char *strsignal(int number) {
  static char names[1 << 17], *name;
  static int named;
  if (name == NULL || number != named) {
    size_t size = text_size(any_size(), sizeof names);
    name = names + (sizeof names - 1 - size);
    any_name(name, size);
    named = number;
  }
  return name;
}

/* POSIX: the text in the block, or why there is none. */
int in_block(int number, char *target, size_t size) __asm__("__xpg_strerror_r");
int in_block(int number, char *target, size_t size) {
  if (size > 0) claim_writable(target, size);
  size_t used = any_length();
  __VERIFIER_assume(used == 0 || used < size);
  if (used > 0) any_message(target, used);
  if (size > 0) target[used] = 0;
  return is_known() ? 0 : is_known() ? EINVAL : ERANGE;
}

/* A text whose order is that of the locale; in "C" it is the text itself (C17, 7.24.4.5). */
size_t strxfrm(char *restrict target, const char *restrict source, size_t size) {
  size_t used = length(source);
  if (has_locales() && is_foreign) {
    order_of_locale();
    used = any_used();
  }
  if (size > 0) claim_writable(target, size);
  if (size > 0 && has_locales() && is_foreign) any_key(target, size);
  else if (used < size) copied(target, source);
  else if (size > 0) any_key(target, size);
  return used;
}
