/* sscanf by a constant format (C17, 7.21.6.2): a function for each part of the format.

   Each is given where in the text the parts before it ended, and gives where its own ends.  Less than
   0 says that reading has stopped: the text has ended, or it does not fit the format. */
#include "model.h"

UNKNOWN(too_large, "sscanf");
ANY(unsigned long long, any_number, "sscanf");

enum { ENDED = -1, DIFFERS = -2 };

static _Bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static _Bool is_digit(char c) { return c >= '0' && c <= '9'; }

static long long behind_space(const char *text, long long at) {
  while (is_space(text[at])) at++;
  return at;
}

/* The argument is a text up to its end, even if less of it is read. */
long long parsed_begin(const char *text) __asm__("sea.parsed.begin");
long long parsed_begin(const char *text) {
  claim_text(text);
  return 0;
}

long long parsed_space(const char *text, long long at) __asm__("sea.parsed.space");
long long parsed_space(const char *text, long long at) {
  return at < 0 ? at : behind_space(text, at);
}

long long parsed_literal(const char *text, long long at, const char *part, size_t size)
    __asm__("sea.parsed.literal");
long long parsed_literal(const char *text, long long at, const char *part, size_t size) {
  for (size_t i = 0; at >= 0 && i < size; i++) {
    if (text[at] == part[i]) at++;
    else at = text[at] == 0 ? ENDED : DIFFERS;
  }
  return at;
}

/* Numbers above `greatest`, and below its negation less 1, have no defined outcome.  A width of 0 is
   none. */
static long long number_in(const char *text, long long at, long long width, _Bool is_signed,
                           unsigned long long greatest, unsigned long long *found) {
  unsigned long long x = 0;
  if (at < 0) return at;
  at = behind_space(text, at);
  if (text[at] == 0) return ENDED;
  long long stop = width > 0 ? at + width : -1;
  _Bool negative = text[at] == '-', excessive = 0;
  if (negative || text[at] == '+') at++;
  if (at == stop || !is_digit(text[at])) return DIFFERS;
  unsigned long long limit = greatest + (negative && is_signed);
  for (; at != stop && is_digit(text[at]); at++) {
    unsigned value = text[at] - '0';
    if (x > (limit - value) / 10) excessive = 1;
    if (!excessive) x = x * 10 + value;
  }
  *found = negative ? -x : x;
  if (excessive) {
    too_large();
    *found = any_number();
  }
  return at;
}

#define NUMBER(bits, type)                                                                         \
  long long parsed_number_##bits(const char *text, long long at, long long width, int is_signed,   \
                                 unsigned long long greatest, type *target)                        \
      __asm__("sea.parsed.number.i" #bits);                                                        \
  long long parsed_number_##bits(const char *text, long long at, long long width, int is_signed,   \
                                 unsigned long long greatest, type *target) {                      \
    unsigned long long x = 0;                                                                      \
    at = number_in(text, at, width, is_signed, greatest, &x);                                      \
    if (at >= 0) *target = (type)x;                                                                \
    return at;                                                                                     \
  }

NUMBER(8, char)
NUMBER(16, short)
NUMBER(32, int)
NUMBER(64, long long)

long long parsed_number(const char *text, long long at, long long width, int is_signed,
                        unsigned long long greatest) __asm__("sea.parsed.number");
long long parsed_number(const char *text, long long at, long long width, int is_signed,
                        unsigned long long greatest) {
  unsigned long long x;
  return number_in(text, at, width, is_signed, greatest, &x);
}

long long parsed_character(const char *text, long long at, char *target)
    __asm__("sea.parsed.character");
long long parsed_character(const char *text, long long at, char *target) {
  if (at < 0) return at;
  if (text[at] == 0) return ENDED;
  *target = text[at];
  return at + 1;
}

long long parsed_any(const char *text, long long at) __asm__("sea.parsed.any");
long long parsed_any(const char *text, long long at) {
  return at < 0 ? at : text[at] == 0 ? ENDED : at + 1;
}

/* Up to four ranges of characters, each with its least and its greatest one. */
static _Bool is_in(char c, unsigned ranges, unsigned more, _Bool is_inverted) {
  byte b = (byte)c;
  _Bool found = (b >= (byte)ranges && b <= (byte)(ranges >> 8)) ||
                (b >= (byte)(ranges >> 16) && b <= (byte)(ranges >> 24)) ||
                (b >= (byte)more && b <= (byte)(more >> 8)) ||
                (b >= (byte)(more >> 16) && b <= (byte)(more >> 24));
  return b != 0 && found != is_inverted;
}

long long parsed_word(const char *text, long long at, long long width, unsigned ranges,
                      unsigned more, int is_inverted, char *target) __asm__("sea.parsed.word");
long long parsed_word(const char *text, long long at, long long width, unsigned ranges,
                      unsigned more, int is_inverted, char *target) {
  if (at < 0) return at;
  if (text[at] == 0) return ENDED;
  long long count = 0;
  for (; (width == 0 || count < width) && is_in(text[at + count], ranges, more, is_inverted); count++)
    target[count] = text[at + count];
  if (count == 0) return DIFFERS;
  target[count] = 0;
  return at + count;
}

long long parsed_word_left_out(const char *text, long long at, long long width, unsigned ranges,
                               unsigned more, int is_inverted) __asm__("sea.parsed.word.left.out");
long long parsed_word_left_out(const char *text, long long at, long long width, unsigned ranges,
                               unsigned more, int is_inverted) {
  if (at < 0) return at;
  if (text[at] == 0) return ENDED;
  long long count = 0;
  while ((width == 0 || count < width) && is_in(text[at + count], ranges, more, is_inverted)) count++;
  return count == 0 ? DIFFERS : at + count;
}

long long parsed_place(const char *text, long long at, int *target) __asm__("sea.parsed.place");
long long parsed_place(const char *text, long long at, int *target) {
  if (at >= 0) *target = (int)at;
  return at;
}

/* How many values were stored; where the text ended before the first, the end of file. */
int parsed_end(long long at, int count) __asm__("sea.parsed.end");
int parsed_end(long long at, int count) { return at == ENDED && count == 0 ? -1 : count; }
