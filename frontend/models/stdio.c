/* stdio.h (C17, 7.21): input is arbitrary, output and files leave no trace, streams are opaque.
   Linux lets a process open so many files by default; streams that are opened after that may be any
   of those before. */
#include "model.h"

enum { END_OF_FILE = -1, STREAMS = 1024, BUFFER = 8192 };

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
ANY(unsigned, any_stream, "fopen");
ANY(int, any_puts, "puts");
ANY(int, any_fputs, "fputs");
ANY(int, any_fputc, "fputc");

static FILE standard[3], opened[STREAMS];
static unsigned streams;

FILE *stdin = &standard[0], *stdout = &standard[1], *stderr = &standard[2];

static void claim_stream(FILE *stream) { claim_readable(stream, sizeof *stream); }

/* ----------------------------------------------------------------------------------- input */

static int character(void) { return input_ends() ? END_OF_FILE : any_character(); }

static int character_of(FILE *stream) {
  claim_stream(stream);
  return character();
}

int getc(FILE *stream) { return character_of(stream); }
int fgetc(FILE *stream) { return character_of(stream); }
int _IO_getc(FILE *stream) { return character_of(stream); }
int getc_unlocked(FILE *stream) { return character_of(stream); }
int getchar(void) { return character(); }
int getchar_unlocked(void) { return character(); }

int ungetc(int c, FILE *stream) {
  claim_stream(stream);
  return c == END_OF_FILE ? END_OF_FILE : (byte)c;
}

char *fgets(char *line, int size, FILE *stream) {
  claim_stream(stream);
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
  claim_stream(stream);
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

static FILE *next_stream(void) {
  if (!any_success()) return nothing(1 + any_error());
  if (streams < STREAMS) return &opened[streams++];
  return &opened[any_stream() % STREAMS];
}

FILE *fopen(const char *name, const char *mode) {
  claim_text(name);
  claim_text(mode);
  return next_stream();
}

static int zero_or_eof(void) { return any_success() ? 0 : END_OF_FILE; }

static int done_with(FILE *stream) {
  claim_stream(stream);
  return zero_or_eof();
}

static int state_of(FILE *stream) {
  claim_stream(stream);
  return any_state();
}

int fclose(FILE *stream) { return done_with(stream); }
int fseek(FILE *stream, long offset, int whence) { return done_with(stream); }
void rewind(FILE *stream) { claim_stream(stream); }
void clearerr(FILE *stream) { claim_stream(stream); }
int feof(FILE *stream) { return state_of(stream); }
int ferror(FILE *stream) { return state_of(stream); }

/* The buffer is the stream's from here on. */
int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  if (buffer != NULL && size > 0) claim_writable(buffer, size);
  return done_with(stream);
}

void setbuf(FILE *stream, char *buffer) {
  if (buffer != NULL) claim_writable(buffer, BUFFER);
  claim_stream(stream);
}

/* No stream stands for all of them. */
int fflush(FILE *stream) { return stream == NULL ? zero_or_eof() : done_with(stream); }
int fflush_unlocked(FILE *stream) { return stream == NULL ? zero_or_eof() : done_with(stream); }

int remove(const char *name) {
  claim_text(name);
  return zero_or_eof();
}

int rename(const char *old, const char *new) {
  claim_text(old);
  claim_text(new);
  return zero_or_eof();
}

long ftell(FILE *stream) {
  claim_stream(stream);
  return any_success() ? (long)(any_position() >> 1) : -1;
}

int puts(const char *text) {
  claim_text(text);
  return any_puts();
}

int fputs(const char *text, FILE *stream) {
  claim_text(text);
  claim_stream(stream);
  return any_fputs();
}

static int put(FILE *stream) {
  claim_stream(stream);
  return any_fputc();
}

int fputc(int c, FILE *stream) { return put(stream); }
int putc(int c, FILE *stream) { return put(stream); }

void perror(const char *text) {
  if (text != NULL) claim_text(text);
}

size_t fwrite(const void *block, size_t size, size_t count, FILE *stream) {
  claim_stream(stream);
  if (size == 0 || count == 0) return 0;
  claim_readable(block, count * size);
  if (all_written()) return count;
  size_t written = any_written();
  __VERIFIER_assume(written < count);
  return written;
}
