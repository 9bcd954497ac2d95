/* Drawn characters that make a text: words of the program's own, numbers, separators, lines.

   A reader of lines seldom accepts random bytes.  The text is a sequence of tokens, like those in the
   dictionaries of fuzzers (M. Zalewski: "afl-fuzz: making up grammar with a dictionary in hand",
   2015).  Each run has a few favourite tokens, which it repeats in order.  In some runs these make
   records: values with separators between them (`key=1`), or a command with what it is about. */

#include "runtime.h"

enum { TEXT = 32, TOKEN = 128, FAVOURITES = 4, VALUES = 3, RECORD = 2 * VALUES - 1 };

enum kind { INPUT, WORD, NUMBER, LETTERS, RUN_OF, CHARACTER, SEPARATOR, BYTE };

struct token {
  enum kind kind;
  u32 size;
  u8 text[TOKEN];
};

static struct token token, favourites[RECORD];
static u32 next; /* the next character of the token */
static u32 count, turn;
static u32 format; /* what lines begin with, in some runs */
static u32 characters; /* texts of one character, which come first */
static int is_record; /* favourites are values and what stands between them */
static u32 length, left; /* tokens of a line, and how many are left of this one; 0: lines end by chance */

static void append(struct token *to, u8 character) {
  if (to->size < TOKEN) to->text[to->size++] = character;
}

static void append_number(struct token *to, u64 value) {
  u8 digits[20];
  u32 used = 0;
  do {
    digits[used++] = (u8)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  while (used > 0) append(to, digits[--used]);
}

static void append_signed(struct token *to, u32 width, u64 low) {
  s64 value = width == 32 ? (s64)(s32)low : (s64)low;
  if (value < 0) append(to, '-');
  append_number(to, value < 0 ? -(u64)value : (u64)value);
}

/* The greatest number of a width, or the least one. */
static u64 limit(u32 width) {
  u64 least = 1ull << (width - 1);
  return below(2) ? least : least - 1;
}

static void append_digits(struct token *to) {
  if (below(8) == 0) append(to, '-');
  for (u32 digits = 1 + below(12); digits > 0; digits--) append(to, (u8)('0' + below(10)));
}

static void append_any_number(struct token *to) {
  u32 width = below(4) ? 32 : 64;
  s64 sign = below(8) ? 1 : -1;
  switch (below(8)) {
    case 0:
    case 1: append_signed(to, 64, (u64)(sign * below(4))); return;
    case 2: append_signed(to, 64, (u64)(sign * below(below(2) ? 32 : 300))); return;
    case 3: append_signed(to, width, below(2) ? limit(width) : boundary(width).low); return;
    case 4: append_signed(to, width, mixture(width).low); return;
    case 5:
    case 6: append_signed(to, width, word_of_dictionary().low); return;
    default: append_digits(to);
  }
}

/* A character between words. */
static u8 separator(void) {
  static const u8 usual[] = "    ,,==::;--//..++**#&?%\"'()[]@_|<>!\t";
  return usual[below(sizeof usual - 1)];
}

static const u8 *text_at(u32 index) {
  const struct request *request = RUN->request;
  return (u8 *)request + request->texts_at + TEXT * index;
}

/* A character of the program; the first ones are the most likely. */
static u8 any_character(void) {
  return characters ? text_at(below(1 + below(1 + below(characters))))[0] : '0';
}

static void append_character(struct token *to) {
  if (characters) append(to, any_character());
}

static void append_letters(struct token *to) {
  u8 first = below(4) ? 'a' : 'A';
  for (u32 letters = 1 + below(below(2) ? 3 : 16); letters > 0; letters--)
    append(to, (u8)(first + below(26)));
}

/* Append many characters between two of the program's, as digits lie between '0' and '9'. */
static void append_run(struct token *to) {
  u8 low = any_character(), high = any_character();
  u32 count = high >= low && high - low < 26u ? high - low + 1u : 1;
  for (u32 left = 1 + below(TOKEN); left > 0; left--) append(to, (u8)(low + below(count)));
}

static int is_one_of(u8 character, const char *set) {
  while (*set != 0 && (u8)*set != character) set++;
  return *set != 0;
}

/* Append characters of a set, and give where the set ends; letters, if it says which are not in it. */
static u32 append_of_set(struct token *to, const u8 *text, u32 begin) {
  u32 end = begin + 1;
  while (end < TEXT - 1 && text[end] != 0 && text[end] != ']') end++;
  if (text[begin] == '^') append_letters(to);
  else
    for (u32 left = 1 + below(8); left > 0; left--) {
      u32 at = begin + below(end - begin);
      int is_range = at + 2 < end && text[at + 1] == '-' && text[at + 2] > text[at];
      append(to, is_range ? (u8)(text[at] + below(text[at + 2] - text[at] + 1u)) : text[at]);
    }
  return end;
}

/* Append what a conversion of `scanf` reads, and give where it ends; where it begins, if it is none. */
static u32 append_read(struct token *to, const u8 *text, u32 begin) {
  u32 at = begin + 1;
  while (at < TEXT - 1 && is_one_of(text[at], "0123456789*.-+ #hlLqjzt")) at++;
  switch (text[at]) {
    case 'd':
    case 'i':
    case 'u':
    case 'x':
    case 'o': append_any_number(to); return at;
    case 'e':
    case 'f':
    case 'g':
      append_any_number(to);
      append(to, '.');
      append_number(to, below(100));
      return at;
    case 's': append_letters(to); return at;
    case 'c': append_character(to); return at;
    case '[': return append_of_set(to, text, at + 1);
    case '%': append(to, '%'); return at;
    default: return begin;
  }
}

/* Whether a text has the options of `getopt`: letters, some of them with a colon behind. */
static int is_options(const u8 *text) {
  u32 at = 0, colons = 0;
  for (; at < TEXT && text[at] != 0; at++) {
    int is_colon = text[at] == ':', is_large = text[at] >= 'A' && text[at] <= 'Z';
    if (!is_colon && !is_large && (text[at] < 'a' || text[at] > 'z')) return 0;
    colons += is_colon && at > 0;
  }
  return colons > 0;
}

/* Append an option, and what it takes if a colon says so. */
static void append_option(struct token *to, const u8 *options) {
  u32 count = 0, at;
  while (count < TEXT && options[count] != 0) count++;
  do at = below(count);
  while (options[at] == ':');
  append(to, '-');
  append(to, options[at]);
  if (at + 1 == count || options[at + 1] != ':') return;
  if (below(2)) append(to, ' ');
  if (below(4)) append_any_number(to);
  else append_letters(to);
}

/* A text that a format reads, or an option. */
static void append_input(struct token *to, const u8 *format) {
  if (is_options(format)) {
    append_option(to, format);
    return;
  }
  for (u32 i = 0; i < TEXT && format[i] != 0; i++) {
    u32 end = format[i] == '%' ? append_read(to, format, i) : i;
    if (end == i) append(to, format[i]);
    i = end;
  }
}

/* A word of the program, and for most formats a text that they read. */
static void append_word(struct token *to) {
  u32 words = (u32)RUN->request->texts - characters;
  u32 range = words && below(2) ? 1 + below(words) : words; /* the first words are the likeliest */
  const u8 *text = text_at(words ? characters + below(range) : below(characters));
  if (below(4)) {
    append_input(to, text);
    return;
  }
  for (u32 i = 0; i < TEXT && text[i] != 0; i++) append(to, text[i]);
}

static int is_format(u32 index) {
  const u8 *text = text_at(index);
  u32 at = 0;
  while (at < TEXT && text[at] != 0 && text[at] != '%') at++;
  return (at < TEXT && text[at] == '%') || is_options(text);
}

/* A format of the program, at random; the number of texts, if there is none. */
static u32 any_format(void) {
  u32 found = (u32)RUN->request->texts, seen = 0;
  for (u32 i = characters; i < RUN->request->texts; i++)
    if (is_format(i) && below(++seen) == 0) found = i;
  return found;
}

static enum kind any_kind(void) {
  u32 choice = below(16);
  if (choice < 4) return WORD;
  if (choice < 8) return NUMBER;
  if (choice < 10) return LETTERS;
  if (choice < 12) return CHARACTER;
  if (choice < 13) return RUN_OF;
  return choice < 15 ? SEPARATOR : below(4) ? SEPARATOR : BYTE;
}

static void new_token(struct token *to, enum kind kind) {
  to->kind = kind;
  to->size = 0;
  switch (kind) {
    case INPUT: append_input(to, text_at(format)); return;
    case WORD: append_word(to); return;
    case NUMBER: append_any_number(to); return;
    case LETTERS: append_letters(to); return;
    case RUN_OF: append_run(to); return;
    case CHARACTER: append_character(to); return;
    case SEPARATOR: append(to, separator()); return;
    case BYTE: append(to, (u8)below(256));
  }
}

/* What a value of a record is: the first one is often a name or a command, others numbers. */
static enum kind value_kind(int is_first) {
  static const u8 first[] = {WORD, WORD, WORD, CHARACTER, CHARACTER, NUMBER, NUMBER, LETTERS};
  static const u8 later[] = {NUMBER, NUMBER, NUMBER, NUMBER, CHARACTER, CHARACTER, WORD, LETTERS};
  return is_first ? first[below(8)] : later[below(8)];
}

static u8 separator_of_records(void) {
  if (below(4) == 0) return ' ';
  return below(2) ? any_character() : separator();
}

/* What stands between two values in each record of a run: the same everywhere, or nothing. */
static void new_separator(struct token *to, u8 character) {
  to->kind = SEPARATOR;
  to->size = 0;
  if (below(4)) append(to, character);
}

static void begin_record(void) {
  u8 between = separator_of_records();
  count = 2 * below(VALUES) + 1;
  for (u32 i = 0; i < count; i++)
    if (i % 2) new_separator(&favourites[i], between);
    else new_token(&favourites[i], value_kind(i == 0));
  format = (u32)RUN->request->texts;
  length = left = count;
}

/* Choose the favourites of a run, and the number of tokens of its lines. */
void text_begin(void) {
  characters = 0;
  while (characters < RUN->request->texts && text_at(characters)[1] == 0) characters++;
  is_record = below(4) == 0;
  if (is_record) {
    begin_record();
    return;
  }
  count = 1 + below(FAVOURITES);
  for (u32 i = 0; i < count; i++) new_token(&favourites[i], any_kind());
  format = below(2) ? any_format() : (u32)RUN->request->texts;
  int is_form = format < RUN->request->texts;
  if (is_form) new_token(&favourites[0], INPUT);
  length = left = is_form && below(2) ? 1 : below(2) ? 1 + below(8) : 0;
}

/* Another text begins, as one of several arguments. */
void text_anew(void) {
  next = token.size = turn = 0;
  left = length;
}

/* Whether a line ends: after a number of tokens, or by chance. */
static int line_ends(void) {
  if (length == 0 || below(16) == 0) return below(8) == 0;
  return left-- == 0;
}

/* The next token: a favourite, or another one of its kind.  Separators mostly stay the same, and so
   do characters where they may be separators. */
static void favourite(void) {
  const struct token *chosen = &favourites[turn++ % count];
  token = *chosen;
  if (chosen->kind < (is_record ? SEPARATOR : CHARACTER) && below(2)) new_token(&token, chosen->kind);
}

static void next_token(void) {
  next = 0;
  if (line_ends()) {
    token.size = 0;
    append(&token, '\n');
    turn = 0;
    left = length;
  } else if (below(is_record ? 32 : 8))
    favourite();
  else
    new_token(&token, any_kind());
}

u8 text_character(void) {
  while (next >= token.size) next_token();
  return token.text[next++];
}
