/* stdio.h (C17, 7.21): input is arbitrary, output and files leave no trace, streams are opaque. */
#include "model.h"

enum { END_OF_FILE = -1, STREAMS = 16 };

typedef struct { int unused; } FILE;

ANY(_Bool, input_ends, "getc");
ANY(byte, any_character, "getc");
ANY(_Bool, all_read, "fread");
ANY(size_t, any_count, "fread");
ANY_BYTES(any_block, "fread");
ANY(_Bool, any_success, "fopen");
ANY(byte, any_error, "fopen");
ANY(int, any_state, "feof");
ANY(unsigned long, any_position, "ftell");
ANY(_Bool, all_written, "fwrite");
ANY(size_t, any_written, "fwrite");

static FILE standard[3], opened[STREAMS];
static unsigned streams;

FILE *stdin = &standard[0], *stdout = &standard[1], *stderr = &standard[2];

/* ----------------------------------------------------------------------------------- input */

static int character(void) { return input_ends() ? END_OF_FILE : any_character(); }

int getc(FILE *stream) { return character(); }
int fgetc(FILE *stream) { return character(); }
int _IO_getc(FILE *stream) { return character(); }
int getc_unlocked(FILE *stream) { return character(); }
int getchar(void) { return character(); }
int getchar_unlocked(void) { return character(); }

int ungetc(int c, FILE *stream) { return c == END_OF_FILE ? END_OF_FILE : (byte)c; }

char *fgets(char *line, int size, FILE *stream) {
  if (size <= 0) return NULL;
  int i = 0;
  while (i < size - 1) {
    int c = character();
    if (c == END_OF_FILE) {
      if (i == 0) return NULL;
      break;
    }
    line[i++] = (char)c;
    if (c == '\n') break;
  }
  line[i] = 0;
  return line;
}

char *gets(char *line) {
  size_t i = 0;
  int c = character();
  if (c == END_OF_FILE) return NULL;
  for (; c != END_OF_FILE && c != '\n'; c = character()) line[i++] = (char)c;
  line[i] = 0;
  return line;
}

size_t fread(void *block, size_t size, size_t count, FILE *stream) {
  if (size == 0 || count == 0) return 0;
  size_t got = count;
  if (!all_read()) {
    got = any_count();
    __VERIFIER_assume(got < count);
  }
  any_block(block, got * size);
  return got;
}

/* ---------------------------------------------------------------------------------- formats */

ANY(_Bool, all_stored, "scanf");
ANY(signed char, any_i8, "scanf");
ANY(short, any_i16, "scanf");
ANY(int, any_i32, "scanf");
ANY(long long, any_i64, "scanf");
ANY(float, any_f32, "scanf");
ANY(double, any_f64, "scanf");

/* How many of the `wanted` conversions were stored, or that the input ended before the first. */
int scanned(int wanted) __asm__("sea.scan.count");
int scanned(int wanted) {
  if (all_stored()) return wanted;
  if (input_ends()) return END_OF_FILE;
  int count = any_i32();
  __VERIFIER_assume(count >= 0 && count < wanted);
  return count;
}

/* The k-th conversion of a `scanf` that stored `count`. */
#define SCAN(type, name, any)                                                                  \
  void scan_##name(int count, int k, type *target) __asm__("sea.scan." #name);                 \
  void scan_##name(int count, int k, type *target) {                                           \
    if (count >= k) *target = any();                                                           \
  }
SCAN(signed char, i8, any_i8)
SCAN(short, i16, any_i16)
SCAN(int, i32, any_i32)
SCAN(long long, i64, any_i64)
SCAN(float, float, any_f32)
SCAN(double, double, any_f64)

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* `%s` with at most `width` characters: at least one, none of them white space. */
void scan_word(int count, int k, char *target, size_t width) __asm__("sea.scan.word");
void scan_word(int count, int k, char *target, size_t width) {
  if (count < k) return;
  int c = any_character();
  __VERIFIER_assume(!is_space(c));
  size_t i = 0;
  while (c != END_OF_FILE && !is_space(c)) {
    target[i++] = (char)c;
    if (i == width) break;
    c = character();
  }
  target[i] = 0;
}

/* `%c` with a width: exactly so many characters. */
void scan_characters(int count, int k, char *target, size_t width)
    __asm__("sea.scan.characters");
void scan_characters(int count, int k, char *target, size_t width) {
  if (count >= k) any_block(target, width);
}

/* ---------------------------------------------------------------------------- streams, output */

FILE *fopen(const char *name, const char *mode) {
  if (!any_success() || streams == STREAMS) return nothing(1 + any_error());
  return &opened[streams++];
}

static int zero_or_eof(void) { return any_success() ? 0 : END_OF_FILE; }

int fclose(FILE *stream) { return zero_or_eof(); }
int fflush(FILE *stream) { return zero_or_eof(); }
int fflush_unlocked(FILE *stream) { return zero_or_eof(); }
int remove(const char *name) { return zero_or_eof(); }
int rename(const char *old, const char *new) { return zero_or_eof(); }
int fseek(FILE *stream, long offset, int whence) { return zero_or_eof(); }
void rewind(FILE *stream) {}
void clearerr(FILE *stream) {}
void setbuf(FILE *stream, char *buffer) {}
int setvbuf(FILE *stream, char *buffer, int mode, size_t size) { return zero_or_eof(); }
int feof(FILE *stream) { return any_state(); }
int ferror(FILE *stream) { return any_state(); }

long ftell(FILE *stream) { return any_success() ? (long)(any_position() >> 1) : -1; }

size_t fwrite(const void *block, size_t size, size_t count, FILE *stream) {
  if (size == 0 || count == 0) return 0;
  if (all_written()) return count;
  size_t written = any_written();
  __VERIFIER_assume(written < count);
  return written;
}
