/* The heap, and the functions of the C library that compiled code calls by itself.  All are weak: a
   program's own definition wins.  The heap never runs out before the run's limit does.  The rest
   of the library are models, which become part of the program. */

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

/* The size of a block is kept in the bytes before it here too. */
WEAK void *aligned_alloc(word alignment, word size) {
  if (alignment < ALIGNMENT) return allocate(size);
  if (size > HEAP || alignment > HEAP) leave(EXIT_LIMIT);
  word end = (word)allocate(size + alignment) + alignment - 1;
  u8 *block = (u8 *)(end - end % alignment);
  *(word *)(block - ALIGNMENT) = size;
  return block;
}

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
