/* What the operations of `operations.txt` are written with.

   A program of sequences reads words: of each sequence what is in the memory, which streams there are,
   and its calls.  It shows words: what a call gave, `errno`, the memory.  In a program of a real
   library (`REAL`, see `real.c`) they are written down; in one of the models (`search.c`) they are
   compared with what a real library showed.  What is told beside them helps to find the choices of
   models, and is not compared. */
#define _GNU_SOURCE
#include <features.h>
#undef __GLIBC_USE_C2X_STRTOL
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#define __GLIBC_USE_C23_STRTOL 0
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <fnmatch.h>
#include <getopt.h>
#include <inttypes.h>
#include <locale.h>
#include <malloc.h>
#include <math.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#ifndef __GLIBC__
const unsigned short **__ctype_b_loc(void);
const int **__ctype_tolower_loc(void);
const int **__ctype_toupper_loc(void);
#endif

enum { BUFFER = 32, BUFFERS = 4, MEMORY = BUFFER * BUFFERS, STREAMS = 4, SKIPPED = -9999 };

unsigned long sequence_word(void);
void sequence_show(unsigned long);
void sequence_call(unsigned long);

static char memory[MEMORY + 8]; /* the last bytes stay 0 */
static FILE *streams[STREAMS];
static int descriptors[STREAMS] = {0, 1, -1, -1};
static char *block;        /* of the heap, of `block_size` bytes */
static unsigned long block_size;
static int signals_seen;
static void signal_seen(int number) { signals_seen++; }
static char *rest;         /* where strtok_r goes on */
static char *strsep_rest;

#define show(x) sequence_show((unsigned long)(x))
#ifdef REAL
void sequence_tell(unsigned long);
#define tell(x) sequence_tell((unsigned long)(x))
static inline void tell_bytes(const void *bytes, long size) {
  for (long i = 0; i < size; i++) sequence_tell(((const unsigned char *)bytes)[i]);
}
#else
#define tell_read(k, bytes, size) ((void)0)
#define was_at(stream) ((void)0)
#define has_moved(k) ((void)0)
#define pushed(k, count) ((void)0)
#define tell_begun(k) ((void)0)
#define tell_end(k, size) ((void)0)
#define tell_part(k, size) ((void)0)
#define tell_double(x) ((void)0)
#define tell_descriptor(k) ((void)0)
#define tell(x) ((void)0)
#define tell_bytes(bytes, size) ((void)0)
#endif

/* Where the call is not allowed. */
#define NEED(condition)                                                                            \
  if (!(condition)) {                                                                              \
    show(SKIPPED);                                                                                 \
    break;                                                                                         \
  }

#define M(at) (memory + (at))

/* A text in the memory, or a set of characters that occur. */
#define SET(at, which) ((which) ? " 1a-" + (which) - 1 : M(at))

static long length_at(long at) {
  long n = 0;
  while (memory[at + n] != 0) n++;
  return n;
}
static long length_within(long at, long limit) {
  long n = 0;
  while (n < limit && memory[at + n] != 0) n++;
  return n;
}
static int fits(long at, long size) { return size >= 0 && at + size <= MEMORY; }
static int apart(long a, long n, long b, long m) { return a + n <= b || b + m <= a; }
static int is_file(long k) { return streams[k] != 0; }

/* Between input from a stream for both and output to it there must be a call that sets the position
   (C17, 7.21.5.3). */
static int goes[STREAMS]; /* 1: read from, 2: written to */
static int turned(long k, int way) {
  if (streams[k] == 0 || (k > 1 && goes[k] == 3 - way)) return 0;
  goes[k] = way;
  return 1;
}
static int reads(long k) { return turned(k, 1); }
static int writes(long k) { return turned(k, 2); }

static void show_pointer(const void *p) {
  if (p == 0)
    show(-1);
  else if ((const char *)p >= memory && (const char *)p <= memory + MEMORY)
    show((const char *)p - memory);
  else
    show(-2);
}

/* The text up to its end, of which the first characters are shown. */
static void show_text(const char *text) {
  unsigned long n = 0, sum = 0;
  if (text == 0) {
    show(-1);
    return;
  }
  for (; text[n] != 0; n++) sum = sum * 31 + (unsigned char)text[n];
  tell_bytes(text, (long)n);
  show(n);
  show(sum);
}

static void show_bytes(const void *bytes, long size) {
  const unsigned char *at = bytes;
  for (long i = 0; i < size; i += 8) {
    unsigned long word = 0;
    for (long k = 0; k < 8 && i + k < size; k++) word |= (unsigned long)at[i + k] << 8 * k;
    show(word);
  }
}

static int sign(long x) { return (x > 0) - (x < 0); }

/* Of what is no number nothing else counts. */
#define SHOW_FLOAT(type, name, size)                                                               \
  static void name(type x) {                                                                       \
    if (x != x)                                                                                    \
      show(-3);                                                                                    \
    else                                                                                           \
      show_bytes(&x, size);                                                                        \
  }
SHOW_FLOAT(float, show_float, 4)
SHOW_FLOAT(double, show_double, 8)
SHOW_FLOAT(long double, show_long, 10)

static double real(long bits) {
  double x;
  unsigned long word = (unsigned long)bits;
  for (int i = 0; i < 8; i++) ((unsigned char *)&x)[i] = (unsigned char)(word >> 8 * i);
  return x;
}

/* How far a real stream is: one that has no positions is at -1. */
#ifdef REAL
static long position(FILE *stream) {
  int kept = errno;
  long at = ftell(stream);
  errno = kept;
  return at;
}

static int pushed_back[STREAMS]; /* how many characters come first that are known */
static long begun[STREAMS];      /* where a stream was when it was opened */

/* Models choose where a stream was when they are first asked. */
static int asked[STREAMS];
static void tell_begun(long k) {
  if (!asked[k]) tell(begun[k]);
  asked[k] = 1;
}
static void tell_descriptor(long k) {
  pushed_back[k] = asked[k] = 0;
  if (!streams[k]) return;
  begun[k] = position(streams[k]);
  tell(fileno(streams[k]));
}
static void pushed(long k, int count) { pushed_back[k] = count < 0 ? 0 : pushed_back[k] + count; }
static void tell_read(long k, const void *bytes, long size) {
  long known = pushed_back[k] < size ? pushed_back[k] : size;
  tell_bytes((const char *)bytes + known, size - known);
  pushed_back[k] -= (int)known;
}
static void tell_double(double x) {
  unsigned long bits;
  memcpy(&bits, &x, 8);
  tell(bits);
}
#endif

#ifdef REAL
#define was_at(stream) long was = position(stream)
static void moved_to(long k, long was) {
  pushed_back[k] = 0;
  tell(position(streams[k]) - was);
}
#define has_moved(k) moved_to(k, was)
/* What is appended goes to a place that models choose. */
static void tell_end(long k, long size) { tell(position(streams[k]) - size); }
#define tell_part(k, size) tell(position(streams[k]) - was - (size))
#endif

static int keys_compared(const void *a, const void *b) {
  return *(const signed char *)a - *(const signed char *)b;
}
static int keys_compared_with(const void *a, const void *b, void *sign) {
  return *(int *)sign * keys_compared(a, b);
}

/* The text in the memory as wide characters below 128, in a place of its own. */
static wchar_t wide[STREAMS][2 * MEMORY];
static wchar_t *widened(long k, long at) {
  long n = 0;
  for (; memory[at + n] != 0; n++) wide[k][n] = memory[at + n] & 127 ? memory[at + n] & 127 : 1;
  wide[k][n] = 0;
  return wide[k];
}
static void show_wide(const wchar_t *text) {
  if (text == 0) {
    show(-1);
    return;
  }
  for (; *text != 0; text++) show(*text);
  show(0);
}
static void show_place(const wchar_t *at, const wchar_t *text) { show(at ? at - text : -1); }

/* The same as bytes. */
static char narrow[MEMORY + 8];
static char *narrowed(long at) {
  long n = 0;
  for (; memory[at + n] != 0; n++) narrow[n] = memory[at + n] & 127 ? memory[at + n] & 127 : 1;
  narrow[n] = 0;
  return narrow;
}

static void show_time(const struct tm *t) {
  show(t != 0);
  if (t == 0) return;
  show(t->tm_year), show(t->tm_mon), show(t->tm_mday), show(t->tm_hour), show(t->tm_min);
  show(t->tm_sec), show(t->tm_wday), show(t->tm_yday), show(t->tm_isdst);
}
static struct tm parts_of_time(long x) {
  struct tm t = {.tm_year = (int)(x % 300), .tm_mon = (int)(x % 40), .tm_mday = (int)(x % 70)};
  t.tm_hour = (int)(x % 50), t.tm_min = (int)(x % 1000), t.tm_sec = (int)(x % 10000);
  return t;
}

/* How often `setjmp` returned, and with what. */
#define JUMPED(name, jump, place, begun)                                                           \
  static long name(long value) {                                                                   \
    static place at;                                                                               \
    static volatile int rounds, got;                                                               \
    rounds = got = 0;                                                                              \
    switch (begun) {                                                                               \
      case 0: break;                                                                               \
      case 1: got = 1; break;                                                                      \
      default: got = 2;                                                                            \
    }                                                                                              \
    if (rounds++ == 0) jump(at, (int)value);                                                       \
    return 10 * got + rounds;                                                                      \
  }
JUMPED(jumped, longjmp, jmp_buf, setjmp(at))
JUMPED(jumped_plainly, _longjmp, jmp_buf, _setjmp(at))
JUMPED(jumped_with_mask, siglongjmp, sigjmp_buf, sigsetjmp(at, 0))

/* A list of three elements of `insque`. */
struct item {
  struct item *next, *previous;
};
static struct item items[3];
static void show_items(void) {
  for (int i = 0; i < 3; i++) {
    show(items[i].next ? items[i].next - items : -1);
    show(items[i].previous ? items[i].previous - items : -1);
  }
}

/* A tree of four bytes of the memory; only its order is promised, not its depth. */
static void node_visited(const void *node, VISIT which, int depth) {
  if (which == postorder || which == leaf) show(**(const signed char *const *)node);
}
static void node_freed(void *key) { show(*(signed char *)key); }
static void *tree_of(long at) {
  void *root = 0;
  for (int i = 0; i < 4; i++) {
    void *node = tsearch(M(at + i), &root, keys_compared);
    show(node ? **(signed char **)node : -1);
  }
  return root;
}
static void end_tree(void *root) {
  while (root) tdelete(*(void **)root, &root, keys_compared);
}

static int printed_by(FILE *stream, ...) {
  va_list list;
  va_start(list, stream);
  int n = vfprintf(stream, "%d %d", list);
  va_end(list);
  return n;
}
static int text_by(char *text, unsigned long size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(text, size, format, list);
  va_end(list);
  return n;
}
static int scanned_by(const char *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsscanf(text, format, list);
  va_end(list);
  return n;
}
static int printed_by_list(int first, ...) {
  va_list list;
  va_start(list, first);
  int n = vprintf("%d %d", list);
  va_end(list);
  return n;
}
static int text_by_list(char *text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsprintf(text, format, list);
  va_end(list);
  return n;
}

static int new_text_by(char **text, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vasprintf(text, format, list);
  va_end(list);
  return n;
}

static void nothing_at_exit(void) {}

struct twelve {
  char bytes[12];
};

static long length_of(const char *text) {
  long n = 0;
  while (text[n] != 0) n++;
  return n;
}

/* The number in the text, at most the greatest and at least its opposite. */
static long number_at(long at) {
  while (memory[at] == ' ' || (memory[at] >= '\t' && memory[at] <= '\r')) at++;
  int negative = memory[at] == '-';
  if (memory[at] == '-' || memory[at] == '+') at++;
  long x = 0;
  for (; memory[at] >= '0' && memory[at] <= '9'; at++)
    if (__builtin_mul_overflow(x, 10, &x) || __builtin_add_overflow(x, memory[at] - '0', &x)) {
      x = INT64_MAX;
      break;
    }
  return negative ? -x : x;
}
