/* The functions of the C library that programs and compiled code may use.  All are weak: a
   program's own definition wins.  Output is dropped; the heap never runs out before the run's
   limit does. */

#include "runtime.h"

#define WEAK __attribute__((weak))

enum { HEAP = 64 << 20, ALIGNMENT = 16 };

static u8 heap[HEAP] __attribute__((aligned(ALIGNMENT)));
static word used;

void *sea_reserve(word size) __asm__("sea.reserve");

void *sea_reserve(word size) {
  if (size > HEAP - used) leave(EXIT_LIMIT);
  void *block = heap + used;
  used += size;
  if (used > HEAP - ALIGNMENT) leave(EXIT_LIMIT);
  used = (used + ALIGNMENT - 1) & ~(word)(ALIGNMENT - 1);
  return block;
}

static void copy(u8 *target, const u8 *source, word size) {
  for (word i = 0; i < size; i++) target[i] = source[i];
}

/* A block is preceded by its size, for realloc. */
static void *allocate(word size) {
  if (size > HEAP) leave(EXIT_LIMIT);
  u8 *block = (u8 *)sea_reserve(size + ALIGNMENT) + ALIGNMENT;
  *(word *)(block - ALIGNMENT) = size;
  return block;
}

WEAK void *malloc(word size) { return allocate(size); }

WEAK void *calloc(word count, word size) {
  word total;
  if (__builtin_mul_overflow(count, size, &total)) return 0;
  return allocate(total);
}

WEAK void *realloc(void *old, word size) {
  u8 *block = allocate(size);
  if (!old) return block;
  word length = *(word *)((u8 *)old - ALIGNMENT);
  copy(block, old, length < size ? length : size);
  return block;
}

WEAK void free(void *block) { (void)block; }

WEAK void *memcpy(void *target, const void *source, word size) {
  copy(target, source, size);
  return target;
}

WEAK void *memmove(void *target, const void *source, word size) {
  u8 *to = target;
  const u8 *from = source;
  if (to <= from)
    copy(to, from, size);
  else
    while (size-- > 0) to[size] = from[size];
  return target;
}

WEAK void *memset(void *target, int byte, word size) {
  u8 *to = target;
  for (word i = 0; i < size; i++) to[i] = (u8)byte;
  return target;
}

static int difference(const u8 *left, const u8 *right, word size, int strings) {
  for (word i = 0; i < size; i++) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
    if (strings && !left[i]) return 0;
  }
  return 0;
}

WEAK int memcmp(const void *left, const void *right, word size) {
  return difference(left, right, size, 0);
}

WEAK int strcmp(const char *left, const char *right) {
  return difference((const u8 *)left, (const u8 *)right, ~(word)0, 1);
}

WEAK int strncmp(const char *left, const char *right, word size) {
  return difference((const u8 *)left, (const u8 *)right, size, 1);
}

static word length(const char *text) {
  word n = 0;
  while (text[n]) n++;
  return n;
}

WEAK word strlen(const char *text) { return length(text); }

WEAK char *strcpy(char *target, const char *source) {
  copy((u8 *)target, (const u8 *)source, length(source) + 1);
  return target;
}

WEAK char *strncpy(char *target, const char *source, word size) {
  word i = 0;
  for (; i < size && source[i]; i++) target[i] = source[i];
  for (; i < size; i++) target[i] = 0;
  return target;
}

WEAK char *strcat(char *target, const char *source) {
  copy((u8 *)target + length(target), (const u8 *)source, length(source) + 1);
  return target;
}

WEAK char *strchr(const char *text, int wanted) {
  for (;; text++) {
    if (*text == (char)wanted) return (char *)text;
    if (!*text) return 0;
  }
}

WEAK int printf(const char *format, ...) {
  (void)format;
  return 0;
}

WEAK int puts(const char *text) {
  (void)text;
  return 0;
}

WEAK int putchar(int character) { return (u8)character; }

/* Instructions of the machine, rounded correctly. */
WEAK double sqrt(double x) {
  __asm__("sqrtsd %1, %0" : "=x"(x) : "x"(x));
  return x;
}

WEAK float sqrtf(float x) {
  __asm__("sqrtss %1, %0" : "=x"(x) : "x"(x));
  return x;
}
