/* stdio.h (C17, 7.21; POSIX): input is arbitrary, and output changes nothing but the state of its
   stream.  A stream knows whether the input ended, whether an access failed, which characters were
   pushed back, and its position.  There are as many streams as Linux lets a process open by default;
   a stream that is opened after that may be any of the earlier ones. */
#include "model.h"

enum { END_OF_FILE = -1, STREAMS = 1024, BUFFER = 8192, PUSHED = 4 };
enum { FROM_BEGIN, FROM_HERE, FROM_END };

typedef struct {
  _Bool ended, failed, written; /* the input ended, an access failed, something was written */
  _Bool unreadable, unwritable; /* what its mode forbids */
  _Bool appends;                /* what is written goes to the end, wherever that is */
  byte pushed, back[PUSHED];    /* number of characters pushed back, and these, the next one last */
  _Bool is_placed, can_seek; /* whether the next two are chosen; whether it has positions at all */
  long begin, moved;
  int descriptor;
  _Bool is_closed;
} FILE;

ANY(_Bool, is_told, "fopen");
ANY(_Bool, is_unmarked, "fopen");
ANY(_Bool, input_ends, "getc");
ANY(_Bool, input_fails, "getc");
ANY(byte, any_character, "getc");
ANY(byte, why_unread, "getc");
ANY(_Bool, has_room, "ungetc");
ANY(_Bool, all_read, "fread");
ANY(_Bool, part_read, "fread");
ANY(size_t, any_count, "fread");
ANY(size_t, any_part, "fread");
ANY_BYTES(any_block, "fread");
ANY_BYTES(any_line, "fgets");
ANY(_Bool, any_success, "fopen");
ANY(byte, why_unopened, "fopen");
ANY(unsigned long, any_position, "ftell");
ANY(int, any_flag, "feof");
ANY(_Bool, has_places, "ftell");
ANY(_Bool, seek_succeeds, "fseek");
ANY(_Bool, is_filled, "fseek");
ANY(byte, why_unsought, "fseek");
ANY(_Bool, all_written, "fwrite");
ANY(size_t, any_written, "fwrite");
ANY(byte, why_unwritten, "fwrite");
ANY(_Bool, flush_succeeds, "fflush");
ANY(_Bool, close_succeeds, "fclose");
ANY(_Bool, is_unplaced, "fflush");
ANY(_Bool, is_input, "fflush");
ANY(_Bool, buffer_is_set, "setvbuf");
ANY(_Bool, file_succeeds, "remove");
ANY(_Bool, is_folder, "remove");
ANY(_Bool, is_shown, "perror");
ANY(unsigned, any_stream, "fopen");
ANY(unsigned, any_puts, "puts");
ANY(_Bool, is_put, "fputc");
ANY(unsigned, any_status, "pclose");
ANY(_Bool, is_waited_for, "pclose");
ANY(unsigned, any_descriptor, "fileno");
UNKNOWN(content_is_unknown, "fread");
USES(pushes_back, "ungetc");
USES(asks_errno, "__errno_location");
USES(asks_for_positions, "ftell.ftello.fseek.fseeko.fgetpos.fsetpos");
USES(reads_back, "tmpfile.freopen.fdopen.fseek.fseeko.fsetpos.rewind");
USES(has_own_file, "tmpfile");
USES(shares_files, "fileno.fork.vfork");
USES(tells_descriptors, DESCRIPTORS);
USES(closes, "fclose.pclose.freopen");

static FILE standard[3] = {
    {.unwritable = 1}, {.unreadable = 1, .descriptor = 1}, {.unreadable = 1, .descriptor = 2}};
static FILE opened[STREAMS];
static unsigned streams;

/* The contents of one temporary file, which no other process changes, as far as they are followed:
   of none where the stream is null. */
enum { KEPT = 256 };
static FILE *kept;
static byte kept_text[KEPT];
static long kept_end;

FILE *stdin = &standard[0], *stdout = &standard[1], *stderr = &standard[2];

/* The claim that a stream has not been closed: then a pointer to it leads nowhere (C17, 7.21.3), which
   is said of a place behind all streams. */
static inline void claim_open(const FILE *stream) __asm__("sea.claim.open");
static inline void claim_open(const FILE *stream) {
  if (closes() && stream->is_closed) claim_readable((const byte *)stream + sizeof opened, 1);
}

static void claim_stream(FILE *stream) {
  claim_readable(stream, sizeof *stream);
  claim_open(stream);
}

static int read_error(void) {
  byte k = why_unread();
  return k >= 8 ? EINVAL : one_of_8(k, EIO, EINTR, EAGAIN, EBADF, ENOMEM, EOVERFLOW, EISDIR, ENXIO);
}

static int write_error_of(byte k) {
  if (k < 8) return one_of_8(k, EIO, EINTR, EAGAIN, EBADF, ENOSPC, EFBIG, EPIPE, ENXIO);
  return k == 8 ? EDQUOT : ENOMEM;
}

static int write_error(void) { return write_error_of(why_unwritten()); }

static int open_error_of(byte k) {
  if (k < 8) return one_of_8(k, ENOENT, EACCES, EISDIR, EMFILE, ENFILE, ENOTDIR, EINTR, ENOMEM);
  if (k < 16)
    return one_of_8((byte)(k - 8), ENOSPC, EROFS, ENXIO, ETXTBSY, ELOOP, ENAMETOOLONG, EOVERFLOW, EBUSY);
  return one_of_8((byte)(k - 16), EEXIST, EINVAL, EPERM, EIO, ENODEV, EDQUOT, EAGAIN, EFBIG);
}

static int open_error(void) { return open_error_of(why_unopened()); }

/* ----------------------------------------------------------------------------------- state */

static _Bool is_kept(const FILE *stream) { return has_own_file() && stream == kept; }

static void forget_content(const FILE *stream) {
  if (is_kept(stream)) kept = NULL;
}

/* After a failure the contents and the position are not known (C17, 7.21.8.1 and 7.21.8.2). */
static int fails(FILE *stream, int reason) {
  forget_content(stream);
  stream->failed = 1;
  return failed(reason, END_OF_FILE);
}

static void move(FILE *stream, long distance) {
  if (asks_for_positions() || has_own_file()) stream->moved += distance;
}

/* Move the position behind the bytes that are written. */
static void move_written(FILE *stream, long distance) {
  if (asks_for_positions() && stream->appends) {
    stream->begin = (long)(any_position() >> 2);
    stream->moved = 0;
  }
  move(stream, distance);
}

/* Whether a stream has positions; the first one is chosen when it is first asked for. */
static _Bool has_positions(FILE *stream) {
  if (!stream->is_placed) {
    stream->can_seek = has_places();
    stream->begin = (long)(any_position() >> 2);
    stream->is_placed = 1;
  }
  return stream->can_seek;
}

/* ----------------------------------------------------------------------------------- input */

/* A stream without this direction fails.  POSIX has EBADF for it (fgetc, fputc), but musl does not
   set errno.  Earlier output may be written out first, which may fail. */
static int fails_wrong_way(FILE *stream) {
  stream->failed = 1;
  return asks_errno() && is_told() ? failed(write_error(), END_OF_FILE) : END_OF_FILE;
}

static _Bool cannot_read(FILE *stream) {
  if (!stream->unreadable) return 0;
  fails_wrong_way(stream);
  return 1;
}

/* The contents written through a stream that also reads are not known, but of one temporary file. */
static void claim_content(FILE *stream) {
  if (reads_back() && stream->written && !is_kept(stream)) content_is_unknown();
}

/* Note what is written to the temporary file, before the position moves. */
static void keep(const FILE *stream, const byte *text, size_t size) {
  if (!is_kept(stream)) return;
  long at = stream->begin + stream->moved;
  if (at < 0 || at > kept_end || size > (size_t)(KEPT - at)) {
    kept = NULL;
    return;
  }
  for (size_t i = 0; i < size; i++) kept_text[at + (long)i] = text[i];
  if (at + (long)size > kept_end) kept_end = at + (long)size;
}

/* Note that the input ended or failed. */
static void stops(FILE *stream) {
  if (input_fails())
    fails(stream, read_error());
  else
    stream->ended = 1;
}

/* The next character of the temporary file, which ends where writing ended. */
static int kept_character(FILE *stream) {
  long at = stream->begin + stream->moved;
  if (at >= kept_end) {
    stops(stream);
    return END_OF_FILE;
  }
  if (at < 0 || input_ends()) return fails(stream, read_error());
  move(stream, 1);
  return kept_text[at];
}

/* The next character of the input, apart from those that were pushed back. */
static int fresh_character(FILE *stream) {
  claim_content(stream);
  if (cannot_read(stream)) return END_OF_FILE;
  if (stream->ended) return END_OF_FILE;
  if (is_kept(stream)) return kept_character(stream);
  if (input_ends()) {
    stops(stream);
    return END_OF_FILE;
  }
  move(stream, 1);
  return any_character();
}

static int character_of(FILE *stream) {
  claim_stream(stream);
  if (pushes_back() && stream->pushed > 0) {
    move(stream, 1);
    return stream->back[--stream->pushed];
  }
  return fresh_character(stream);
}

int getc(FILE *stream) { return character_of(stream); }
int fgetc(FILE *stream) { return character_of(stream); }
int _IO_getc(FILE *stream) { return character_of(stream); }
int getc_unlocked(FILE *stream) { return character_of(stream); }
int fgetc_unlocked(FILE *stream) { return character_of(stream); }
int getchar(void) { return character_of(&standard[0]); }
int getchar_unlocked(void) { return character_of(&standard[0]); }

/* One character can always be pushed back, and perhaps more (C17, 7.21.7.10).  The library decides
   about a stream that is not read. */
int ungetc(int c, FILE *stream) {
  claim_stream(stream);
  if (c == END_OF_FILE) return END_OF_FILE;
  if (stream->unreadable && !has_room()) {
    if (!is_unmarked()) stream->failed = 1;
    return END_OF_FILE;
  }
  if (stream->pushed > 0 && (stream->pushed == PUSHED || !has_room())) return END_OF_FILE;
  stream->back[stream->pushed++] = (byte)c;
  stream->ended = 0;
  move(stream, -1);
  return (byte)c;
}

/* No run goes on in which a line is longer than lines are: `c` comes behind `length` characters. */
static void claim_short_line(int c, int last, size_t length) {
  if (lines_are_short() && length >= line_length() && c != last && c != END_OF_FILE)
    __VERIFIER_assume(0);
}

/* The contents of the line are arbitrary if reading failed (C17, 7.21.7.2). */
static char *line_of(char *line, int size, FILE *stream) {
  claim_stream(stream);
  if (size <= 0) return NULL;
  int i = 0;
  while (i < size - 1) {
    int c = character_of(stream);
    claim_short_line(c, '\n', (size_t)i);
    if (c == END_OF_FILE) {
      if (i == 0 || !stream->ended) return NULL;
      break;
    }
    line[i++] = (char)c;
    if (c == '\n') break;
  }
  line[i] = 0;
  return line;
}

char *fgets(char *line, int size, FILE *stream) { return line_of(line, size, stream); }
char *fgets_unlocked(char *line, int size, FILE *stream) { return line_of(line, size, stream); }

char *gets(char *line) {
  size_t i = 0;
  FILE *stream = &standard[0];
  int c = character_of(stream);
  if (c == END_OF_FILE) return NULL;
  claim_short_line(c, '\n', i);
  for (; c != END_OF_FILE && c != '\n'; c = character_of(stream), claim_short_line(c, '\n', i))
    line[i++] = (char)c;
  if (c == END_OF_FILE && !stream->ended) return NULL;
  line[i] = 0;
  return line;
}

/* Buffers grow as those of glibc. */
enum { FIRST_ROOM = 120 };

static _Bool make_room(char **line, size_t *size, size_t wanted) {
  if (*line != NULL && *size >= wanted) return 1;
  size_t room = wanted < FIRST_ROOM ? FIRST_ROOM : 2 * wanted;
  char *grown = realloc(*line, room);
  if (grown == NULL) return 0;
  *line = grown;
  *size = room;
  return 1;
}

/* The contents of the line are arbitrary if reading failed or nothing was left (POSIX, getdelim). */
static ssize_t line_up_to(char **line, size_t *size, int last, FILE *stream) {
  claim_stream(stream);
  if (line == NULL || size == NULL) return failed(EINVAL, -1);
  size_t n = 0;
  int c = END_OF_FILE;
  do {
    if (!make_room(line, size, n + 2)) return -1;
    c = character_of(stream);
    claim_short_line(c, last, n);
    if (c != END_OF_FILE) (*line)[n++] = (char)c;
  } while (c != END_OF_FILE && c != last);
  if (c == END_OF_FILE && (n == 0 || !stream->ended)) return -1;
  (*line)[n] = 0;
  return (ssize_t)n;
}

ssize_t getline(char **line, size_t *size, FILE *stream) {
  return line_up_to(line, size, '\n', stream);
}

ssize_t getdelim(char **line, size_t *size, int last, FILE *stream) {
  return line_up_to(line, size, (byte)last, stream);
}

ssize_t __getdelim(char **line, size_t *size, int last, FILE *stream) {
  return line_up_to(line, size, (byte)last, stream);
}

/* A short count means that the input ended or failed; the part of the next element that was read is
   indeterminate (C17, 7.21.8.1). */
static size_t short_count(byte *block, size_t size, size_t count, FILE *stream) {
  size_t got = any_count(), part = 0;
  __VERIFIER_assume(got < count);
  stops(stream);
  if (part_read()) {
    part = any_part();
    __VERIFIER_assume(part < size);
  }
  any_block(block, (part > 0 ? got + 1 : got) * size);
  move(stream, (long)(got * size + part));
  return got;
}

/* Characters are read one by one: some were pushed back, or it is known which they are. */
static size_t elements_pushed(byte *block, size_t size, size_t count, FILE *stream) {
  for (size_t i = 0; i < size * count; i++) {
    int c = character_of(stream);
    if (c == END_OF_FILE) return i / size;
    block[i] = (byte)c;
  }
  return count;
}

static size_t elements(void *block, size_t size, size_t count, FILE *stream) {
  claim_stream(stream);
  if (size == 0 || count == 0) return 0;
  claim_content(stream);
  if ((pushes_back() && stream->pushed > 0) || is_kept(stream))
    return elements_pushed(block, size, count, stream);
  if (cannot_read(stream)) return 0;
  if (stream->ended) return 0;
  if (!all_read()) return short_count(block, size, count, stream);
  any_block(block, count * size);
  move(stream, (long)(count * size));
  return count;
}

size_t fread(void *block, size_t size, size_t count, FILE *stream) {
  return elements(block, size, count, stream);
}

size_t fread_unlocked(void *block, size_t size, size_t count, FILE *stream) {
  return elements(block, size, count, stream);
}

/* --------------------------------------------------------------------------- formats of scanf */

ANY(_Bool, all_stored, "scanf");
ANY(_Bool, tells_of_none, "scanf");
ANY(_Bool, forgets, "scanf");
ANY(_Bool, is_too_large, "scanf");
ANY(unsigned, any_stored, "scanf");
ANY(unsigned, any_length, "scanf");
ANY(signed char, any_i8, "scanf");
ANY(short, any_i16, "scanf");
ANY(int, any_i32, "scanf");
ANY(long long, any_i64, "scanf");
ANY(float, any_f32, "scanf");
ANY(double, any_f64, "scanf");
UNKNOWN(meaning_of_what_was_pushed_is_unknown, "scanf");

/* At the end of the input, glibc may set errno to its value at the last end, or to 0 if it is the first. */
static void forget(void) {
  if (asks_errno() && forgets()) *__errno_location() = 0;
}

/* The number of the `wanted` conversions that were stored, or EOF if the input ended before any. */
static int conversions(FILE *stream, int wanted) {
  claim_stream(stream);
  forget_content(stream);
  claim_content(stream);
  _Bool had_failed = stream->failed;
  if (cannot_read(stream)) {
    if (is_unmarked()) stream->failed = had_failed; /* as in glibc */
    return END_OF_FILE;
  }
  if (pushes_back() && stream->pushed > 0) {
    meaning_of_what_was_pushed_is_unknown();
    stream->pushed = 0;
  }
  if (stream->ended) {
    forget();
    return END_OF_FILE;
  }
  move(stream, (long)(any_length() >> 1));
  if (asks_errno() && is_too_large()) failed(ERANGE, 0);
  if (all_stored()) {
    if (input_ends()) {
      stream->ended = 1;
      forget();
    }
    return wanted;
  }
  int count = (int)any_stored();
  __VERIFIER_assume(count >= 0 && (count < wanted || count == 0));
  if (!input_ends()) {
    if (asks_errno() && tells_of_none()) failed(EINVAL, 0);
    return count;
  }
  stops(stream);
  if (stream->ended) forget();
  return count == 0 ? END_OF_FILE : count;
}

int scanned(int wanted) __asm__("sea.scan.count");
int scanned(int wanted) { return conversions(&standard[0], wanted); }

int scanned_from(int wanted, FILE *stream) __asm__("sea.scan.count.of");
int scanned_from(int wanted, FILE *stream) { return conversions(stream, wanted); }

/* The k-th conversion of a `scanf` that stored `count`. */
#define SCAN(type, name, any)                                                                      \
  void scan_##name(int count, int k, type *target) __asm__("sea.scan." #name);                     \
  void scan_##name(int count, int k, type *target) {                                               \
    if (count >= k) *target = any();                                                               \
  }
SCAN(signed char, i8, any_i8)
SCAN(short, i16, any_i16)
SCAN(int, i32, any_i32)
SCAN(long long, i64, any_i64)
SCAN(float, float, any_f32)
SCAN(double, double, any_f64)

/* A number with so few characters that it lies between bounds. */
#define SCAN_FEW(type, name)                                                                       \
  void scan_few_##name(int count, int k, type *target, int low, int high)                          \
      __asm__("sea.scan.few." #name);                                                              \
  void scan_few_##name(int count, int k, type *target, int low, int high) {                        \
    if (count >= k) *target = (type)(low + (int)(any_stored() % (unsigned)(high - low + 1)));      \
  }
SCAN_FEW(signed char, i8)
SCAN_FEW(short, i16)
SCAN_FEW(int, i32)
SCAN_FEW(long long, i64)

static int is_space(int c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* `%s` with at most `width` characters: at least one, none of them white space. */
void scan_word(int count, int k, char *target, size_t width) __asm__("sea.scan.word");
void scan_word(int count, int k, char *target, size_t width) {
  if (count < k) return;
  int c = any_character();
  __VERIFIER_assume(!is_space(c));
  size_t i = 0;
  while (!is_space(c)) {
    target[i++] = (char)c;
    if (i == width || input_ends()) break;
    c = any_character();
  }
  target[i] = 0;
}

/* `%c` with a width: exactly `width` characters. */
void scan_characters(int count, int k, char *target, size_t width)
    __asm__("sea.scan.characters");
void scan_characters(int count, int k, char *target, size_t width) {
  if (count >= k) any_block(target, width);
}

/* -------------------------------------------------------------------------- opening and closing */

static int number_of_file(void) {
  return tells_descriptors() ? taken_descriptor((int)(any_descriptor() >> 1)) : 0;
}

static void descriptor_ends(const FILE *stream) {
  if (tells_descriptors()) descriptor_is_closed(stream->descriptor);
}

static FILE *next_stream(int descriptor) {
  unsigned number = streams < STREAMS ? streams++ : any_stream() % STREAMS;
  FILE *stream = &opened[number];
  forget_content(stream);
  *stream = (FILE){.descriptor = descriptor};
  return stream;
}

static FILE *opened_or_not(void) {
  return any_success() ? next_stream(number_of_file()) : (FILE *)nothing(open_error());
}

/* A mode without `+` either reads or writes; the `+` is one of the next two characters (C17). */
static FILE *directed(FILE *stream, const char *mode) {
  if (stream == NULL || mode[0] == 0) return stream;
  stream->appends = mode[0] == 'a';
  if (mode[1] == '+' || (mode[1] != 0 && mode[2] != 0)) return stream;
  stream->unreadable = mode[0] != 'r';
  stream->unwritable = mode[0] == 'r';
  return stream;
}

/* After input, a failure to set the position again may be reported. */
static int flushed(void) {
  if (asks_errno() && is_unplaced()) failed(is_input() ? ESPIPE : EINVAL, 0);
  return 0;
}

FILE *fopen(const char *name, const char *mode) {
  claim_text(name);
  claim_text(mode);
  return directed(opened_or_not(), mode);
}

FILE *fdopen(int descriptor, const char *mode) {
  claim_text(mode);
  if (!any_success()) return nothing(open_error());
  return directed(next_stream(descriptor), mode);
}

/* The other end of the pipe is closed. */
FILE *popen(const char *command, const char *mode) {
  claim_text(command);
  claim_text(mode);
  if (!any_success()) return nothing(open_error());
  int first = number_of_file(), second = number_of_file();
  FILE *stream = next_stream(mode[0] == 'r' ? first : second);
  if (tells_descriptors()) descriptor_is_closed(mode[0] == 'r' ? second : first);
  return directed(stream, mode);
}

/* A new file is empty and has positions. */
FILE *tmpfile(void) {
  FILE *stream = opened_or_not();
  if (stream != NULL) {
    stream->written = stream->is_placed = stream->can_seek = 1;
    if (kept == NULL && !shares_files()) {
      kept = stream;
      kept_end = 0;
    }
  }
  return stream;
}

FILE *freopen(const char *name, const char *mode, FILE *stream) {
  claim_stream(stream);
  if (name != NULL) claim_text(name);
  claim_text(mode);
  forget_content(stream);
  descriptor_ends(stream);
  stream->is_closed = 1;
  if (!any_success()) return nothing(open_error());
  *stream = (FILE){.descriptor = number_of_file()};
  flushed();
  return directed(stream, mode);
}

int fclose(FILE *stream) {
  claim_stream(stream);
  forget_content(stream);
  descriptor_ends(stream);
  stream->is_closed = 1;
  if (close_succeeds()) return flushed();
  return failed(write_error(), END_OF_FILE);
}

int pclose(FILE *stream) {
  claim_stream(stream);
  descriptor_ends(stream);
  stream->is_closed = 1;
  return is_waited_for() ? (int)(any_status() & 0xffff) : failed(10, -1);
}

/* The result for a flag that is set: any number but 0 (C17, 7.21.10). */
static int flag(_Bool is_set) {
  int any = any_flag();
  return !is_set ? 0 : any == 0 ? 1 : any;
}

static int is_ended(FILE *stream) {
  claim_stream(stream);
  return flag(stream->ended);
}

static int has_failed(FILE *stream) {
  claim_stream(stream);
  return flag(stream->failed);
}

static void clear(FILE *stream) {
  claim_stream(stream);
  stream->ended = stream->failed = 0;
}

int feof(FILE *stream) { return is_ended(stream); }
int feof_unlocked(FILE *stream) { return is_ended(stream); }
int ferror(FILE *stream) { return has_failed(stream); }
int ferror_unlocked(FILE *stream) { return has_failed(stream); }
void clearerr(FILE *stream) { clear(stream); }
void clearerr_unlocked(FILE *stream) { clear(stream); }

/* ------------------------------------------------------------------------------------ positions */

static int sought(FILE *stream, long offset, int whence) {
  claim_stream(stream);
  if (!has_positions(stream)) return failed(ESPIPE, -1);
  if (!seek_succeeds()) {
    forget_content(stream);
    byte k = why_unsought();
    if (k < 8) return failed(one_of_8(k, EINVAL, EIO, EINTR, ENOSPC, EOVERFLOW, EPIPE, EFBIG, ENXIO), -1);
    return failed(one_of_4((byte)(k - 8), EAGAIN, EBADF, EDQUOT, ENOMEM), -1);
  }
  long at = offset;
  if (whence == FROM_HERE) at += stream->begin + stream->moved;
  if (whence == FROM_END) at += is_kept(stream) ? kept_end : (long)(any_position() >> 2);
  if (at < 0 || whence < FROM_BEGIN || whence > FROM_END) return failed(EINVAL, -1);
  if (asks_errno() && is_filled()) failed(read_error(), 0); /* from filling the buffer */
  stream->begin = at;
  stream->moved = 0;
  stream->ended = 0;
  stream->pushed = 0;
  return 0;
}

int fseek(FILE *stream, long offset, int whence) { return sought(stream, offset, whence); }
int fseeko(FILE *stream, long offset, int whence) { return sought(stream, offset, whence); }

void rewind(FILE *stream) {
  sought(stream, 0, FROM_BEGIN);
  stream->failed = 0;
}

static long place(FILE *stream) {
  claim_stream(stream);
  if (!has_positions(stream)) return failed(ESPIPE, -1);
  long at = stream->begin + stream->moved;
  return at < 0 ? (long)any_position() : at; /* ungetc before the beginning (C17, 7.21.7.10) */
}

long ftell(FILE *stream) { return place(stream); }
long ftello(FILE *stream) { return place(stream); }

int fileno(FILE *stream) {
  claim_stream(stream);
  return stream->descriptor;
}

/* --------------------------------------------------------------------------------------- output */

static int not_written(FILE *stream) {
  return stream->unwritable ? fails_wrong_way(stream) : fails(stream, write_error());
}

/* Whether a text can be written.  If not, the state of the stream is that after the error.  A stream
   that cannot be written to may accept an empty text. */
static _Bool written(FILE *stream, size_t size, _Bool is_empty) {
  claim_stream(stream);
  stream->written = 1;
  if ((stream->unwritable && !is_empty) || !is_put()) return 0;
  move_written(stream, (long)size);
  return 1;
}

static int put(int c, FILE *stream) {
  byte character = (byte)c;
  keep(stream, &character, 1);
  return written(stream, 1, 0) ? character : not_written(stream);
}

int fputc(int c, FILE *stream) { return put(c, stream); }
int putc(int c, FILE *stream) { return put(c, stream); }
int _IO_putc(int c, FILE *stream) { return put(c, stream); }
int putc_unlocked(int c, FILE *stream) { return put(c, stream); }
int fputc_unlocked(int c, FILE *stream) { return put(c, stream); }
int putchar(int c) { return put(c, &standard[1]); }
int putchar_unlocked(int c) { return put(c, &standard[1]); }

static int put_text(const char *text, size_t further, FILE *stream) {
  claim_text(text);
  if (!written(stream, further, further == 0 && *text == 0)) return not_written(stream);
  if (asks_for_positions() || has_own_file())
    for (; *text != 0; text++) {
      keep(stream, (const byte *)text, 1);
      stream->moved++;
    }
  return (int)(any_puts() >> 1);
}

int puts(const char *text) { return put_text(text, 1, &standard[1]); }
int fputs(const char *text, FILE *stream) { return put_text(text, 0, stream); }
int fputs_unlocked(const char *text, FILE *stream) { return put_text(text, 0, stream); }

/* Other functions of the library write the message, and may change errno. */
void perror(const char *text) {
  if (text != NULL) claim_text(text);
  claim_stream(stderr);
  if (!asks_errno() || is_shown()) return;
  byte k = why_unwritten();
  failed(k < 16 ? write_error_of(k) : one_of_4((byte)(k - 16), EINVAL, ENOTTY, ESPIPE, EMFILE), 0);
}

static size_t write_block(const void *block, size_t size, size_t count, FILE *stream) {
  claim_stream(stream);
  if (size == 0 || count == 0) return 0;
  claim_readable(block, count * size);
  if (stream->unwritable) {
    fails_wrong_way(stream);
    return 0;
  }
  stream->written = 1;
  keep(stream, block, count * size);
  size_t done = count;
  if (!all_written()) {
    done = any_written();
    __VERIFIER_assume(done < count);
    fails(stream, write_error());
  }
  move_written(stream, (long)(done * size));
  return done;
}

size_t fwrite(const void *block, size_t size, size_t count, FILE *stream) {
  return write_block(block, size, count, stream);
}

size_t fwrite_unlocked(const void *block, size_t size, size_t count, FILE *stream) {
  return write_block(block, size, count, stream);
}

/* A null stream stands for all streams. */
static int flush(FILE *stream) {
  if (stream != NULL) claim_stream(stream);
  if (flush_succeeds()) return flushed();
  if (has_own_file()) kept = NULL;
  if (stream != NULL) return fails(stream, write_error());
  if (!is_unmarked()) standard[1].failed = 1;
  return failed(write_error(), END_OF_FILE);
}

int fflush(FILE *stream) { return flush(stream); }
int fflush_unlocked(FILE *stream) { return flush(stream); }

/* From here on the stream may use the buffer. */
int setvbuf(FILE *stream, char *buffer, int mode, size_t size) {
  claim_stream(stream);
  if (buffer != NULL && size > 0) claim_writable(buffer, size);
  return buffer_is_set() ? 0 : END_OF_FILE;
}

void setbuf(FILE *stream, char *buffer) {
  if (buffer != NULL) claim_writable(buffer, BUFFER);
  claim_stream(stream);
}

/* -------------------------------------------------------------------------- formats of printf */

ANY(int, any_printed, "printf");
UNKNOWN(length_is_unknown, "printf");

enum { SIGNED = 2, SPACED = 4, MARKED = 8 };

static long long padded(long long length, int width) {
  long long least = width < 0 ? -(long long)width : width;
  return length < least ? least : length;
}

/* The number of digits of a number; 0 for 0.  There is no loop, which proofs would have to follow. */
#define UP_TO_5(x, p, b) ((x >= p) + (x >= p * b) + (x >= p * b * b) + (x >= p * b * b * b) + \
                          (x >= p * b * b * b * b))

static int decimal_digits(unsigned long long x) {
  int count = UP_TO_5(x, 1, 10);
  if (x < 100000) return count;
  count += UP_TO_5(x, 100000, 10);
  if (x < 10000000000) return count;
  return count + UP_TO_5(x, 10000000000, 10) + UP_TO_5(x, 1000000000000000ull, 10);
}

static int digits(unsigned long long x, unsigned base) {
  if (base == 10) return decimal_digits(x);
  int count = 0, step = base == 16 ? 4 : 3;
  for (int at = 0; at < 64; at += step) count += x >> at != 0;
  return count;
}

/* The number of digits shown: at least `precision`, or 1 if that is not given. */
static long long digits_shown(unsigned long long x, unsigned base, int precision) {
  int count = digits(x, base), least = precision < 0 ? 1 : precision;
  return count < least ? least : count;
}

long long printed_signed(long long x, int flags, int width, int precision)
    __asm__("sea.printed.signed");
long long printed_signed(long long x, int flags, int width, int precision) {
  unsigned long long magnitude = x < 0 ? -(unsigned long long)x : (unsigned long long)x;
  int mark = x < 0 || (flags & (SIGNED | SPACED));
  return padded(mark + digits_shown(magnitude, 10, precision), width);
}

long long printed_unsigned(unsigned long long x, int base, int flags, int width, int precision)
    __asm__("sea.printed.unsigned");
long long printed_unsigned(unsigned long long x, int base, int flags, int width, int precision) {
  long long shown = digits_shown(x, (unsigned)base, precision);
  if (flags & MARKED) {
    if (base == 16 && x != 0) shown += 2;
    if (base == 8 && shown == digits(x, 8)) shown++;
  }
  return padded(shown, width);
}

long long printed_text(const char *text, int width, int precision) __asm__("sea.printed.text");
long long printed_text(const char *text, int width, int precision) {
  long long length = 0;
  while ((precision < 0 || length < precision) && text[length] != 0) length++;
  return padded(length, width);
}

long long printed_character(int c, int width) __asm__("sea.printed.character");
long long printed_character(int c, int width) { return padded(1, width); }

/* The library decides how a pointer is written (C17, 7.21.6.1). */
long long printed_pointer(const void *x, int width) __asm__("sea.printed.pointer");
long long printed_pointer(const void *x, int width) { return padded(1 + (any_printed() & 31), width); }

/* A float is written with at least one character. */
long long printed_float(double x, int width, int precision) __asm__("sea.printed.float");
long long printed_float(double x, int width, int precision) {
  length_is_unknown();
  return padded(1 + (any_printed() & __INT_MAX__), width);
}

static int formatted(FILE *stream, long long length) {
  forget_content(stream);
  if (length > __INT_MAX__) return fails(stream, EOVERFLOW);
  return written(stream, (size_t)length, length == 0) ? (int)length : not_written(stream);
}

int printed(long long length) __asm__("sea.printed.end");
int printed(long long length) { return formatted(&standard[1], length); }

int printed_to(long long length, FILE *stream) __asm__("sea.printed.end.of");
int printed_to(long long length, FILE *stream) { return formatted(stream, length); }

/* Output through a stream of which the program never asks how it went. */
void printed_through(FILE *stream) __asm__("sea.printed.through");
void printed_through(FILE *stream) {
  claim_stream(stream);
  forget_content(stream);
}

/* Output of unknown length, which may fail. */
static int anything(FILE *stream) {
  forget_content(stream);
  if (!written(stream, 0, 1)) return not_written(stream);
  length_is_unknown();
  int length = any_printed();
  if (length > 0) move(stream, length);
  return length;
}

int printed_any(void) __asm__("sea.printed.any");
int printed_any(void) { return anything(&standard[1]); }

int printed_any_to(FILE *stream) __asm__("sea.printed.any.of");
int printed_any_to(FILE *stream) { return anything(stream); }

/* ------------------------------------------------------- formats of sprintf and snprintf (7.21.6) */

UNKNOWN(null_text_is_unknown, "snprintf");

enum { LEFT = 1, ZEROS = 16, CAPITALS = 32 };

/* Write a character behind the first `at` characters; the last one that fits is 0. */
static void put_at(char *target, size_t size, long long at, char c) {
  if (size > 0 && (unsigned long long)at < size - 1) target[at] = c;
}

static long long put_times(char *target, size_t size, long long at, char c, long long count) {
  for (long long i = at; i < at + count && (unsigned long long)i < size; i++)
    put_at(target, size, i, c);
  return count > 0 ? at + count : at;
}

long long written_literal(char *target, size_t size, long long at, const char *text, size_t length)
    __asm__("sea.written.literal");
long long written_literal(char *target, size_t size, long long at, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) put_at(target, size, at + (long long)i, text[i]);
  return at + (long long)length;
}

/* The number of characters to put before, or with `LEFT` behind, to fill a field. */
static long long missing(long long length, int width) { return padded(length, width) - length; }

static _Bool is_left(int flags, int width) { return (flags & LEFT) || width < 0; }

static long long put_digits(char *target, size_t size, long long at, unsigned long long x,
                            unsigned base, int flags) {
  int count = digits(x, base);
  for (int i = count - 1; i >= 0; i--) {
    int digit = (int)(x % base);
    put_at(target, size, at + i,
           (char)(digit < 10 ? '0' + digit : digit - 10 + (flags & CAPITALS ? 'A' : 'a')));
    x /= base;
  }
  return at + count;
}

/* Write a number behind its sign; `sign` is 0 if it has none. */
static long long put_number(char *target, size_t size, long long at, unsigned long long x,
                            unsigned base, char sign, int flags, int width, int precision) {
  long long shown = digits_shown(x, base, precision);
  _Bool prefixed = (flags & MARKED) && base == 16 && x != 0;
  if ((flags & MARKED) && base == 8 && shown == digits(x, 8)) shown++;
  long long fill = missing(shown + (sign != 0) + 2 * prefixed, width);
  _Bool left = is_left(flags, width), zeros = !left && (flags & ZEROS) && precision < 0;
  if (!left && !zeros) at = put_times(target, size, at, ' ', fill);
  if (sign != 0) put_at(target, size, at++, sign);
  if (prefixed) {
    put_at(target, size, at, '0');
    put_at(target, size, at + 1, flags & CAPITALS ? 'X' : 'x');
    at += 2;
  }
  at = put_times(target, size, at, '0', shown - digits(x, base) + (zeros ? fill : 0));
  at = put_digits(target, size, at, x, base, flags);
  return left ? put_times(target, size, at, ' ', fill) : at;
}

long long written_signed(char *target, size_t size, long long at, long long x, int flags, int width,
                         int precision) __asm__("sea.written.signed");
long long written_signed(char *target, size_t size, long long at, long long x, int flags, int width,
                         int precision) {
  unsigned long long magnitude = x < 0 ? -(unsigned long long)x : (unsigned long long)x;
  char sign = x < 0 ? '-' : flags & SIGNED ? '+' : flags & SPACED ? ' ' : 0;
  return put_number(target, size, at, magnitude, 10, sign, flags, width, precision);
}

long long written_unsigned(char *target, size_t size, long long at, unsigned long long x, int base,
                           int flags, int width, int precision) __asm__("sea.written.unsigned");
long long written_unsigned(char *target, size_t size, long long at, unsigned long long x, int base,
                           int flags, int width, int precision) {
  return put_number(target, size, at, x, (unsigned)base, 0, flags, width, precision);
}

long long written_text(char *target, size_t size, long long at, const char *text, int flags,
                       int width, int precision) __asm__("sea.written.text");
long long written_text(char *target, size_t size, long long at, const char *text, int flags,
                       int width, int precision) {
  if (text == NULL) {
    null_text_is_unknown(); /* libraries write some text, though `%s` of null is undefined */
    text = "(null)";
  }
  long long length = printed_text(text, 0, precision), fill = missing(length, width);
  _Bool left = is_left(flags, width);
  if (!left) at = put_times(target, size, at, ' ', fill);
  for (long long i = 0; i < length; i++) put_at(target, size, at + i, text[i]);
  at += length;
  return left ? put_times(target, size, at, ' ', fill) : at;
}

long long written_character(char *target, size_t size, long long at, int c, int flags, int width)
    __asm__("sea.written.character");
long long written_character(char *target, size_t size, long long at, int c, int flags, int width) {
  long long fill = missing(1, width);
  _Bool left = is_left(flags, width);
  if (!left) at = put_times(target, size, at, ' ', fill);
  put_at(target, size, at++, (char)c);
  return left ? put_times(target, size, at, ' ', fill) : at;
}

int written_end(char *target, size_t size, long long at) __asm__("sea.written.end");
int written_end(char *target, size_t size, long long at) {
  if (size > 0) target[(unsigned long long)at < size ? (size_t)at : size - 1] = 0;
  return at > __INT_MAX__ ? failed(EOVERFLOW, END_OF_FILE) : (int)at;
}

/* ---------------------------------------------------------------------------------------- files */

static int zero_or_reason(void) {
  if (file_succeeds()) return 0;
  byte k = why_unopened();
  return failed(k == 24 ? ENOTEMPTY : k == 25 ? EXDEV : open_error_of(k), -1);
}

/* The library only learns by an attempt that the name is no file. */
int remove(const char *name) {
  claim_text(name);
  if (asks_errno() && is_folder()) failed(EISDIR, 0);
  return zero_or_reason();
}

int rename(const char *old, const char *new) {
  claim_text(old);
  claim_text(new);
  return zero_or_reason();
}
