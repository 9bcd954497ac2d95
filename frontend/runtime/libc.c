/* The heap, and the functions of the C library that compiled code calls by itself.  All are weak, so
   that a program's own definition wins.  A run comes to its limit of memory before the heap is full.
   The rest of the library consists of models, which become part of the program. */

#include "runtime.h"

#define WEAK __attribute__((weak))

enum { HEAP = 64 << 20, ALIGNMENT = 16 };

/* With 64-bit addresses `program.lds` puts the heap behind 4 GiB, as in real processes. */
static u8 space[HEAP] __attribute__((section(".bss.heap"), aligned(ALIGNMENT)));
static word used;

static u8 *heap(void) {
#ifdef __x86_64__
  u8 *at;
  __asm__("movabsq %1, %0" : "=r"(at) : "i"(space));
  return at;
#else
  return space;
#endif
}

void *sea_reserve(word size) __asm__("sea.reserve");

void *sea_reserve(word size) {
  if (size > HEAP - used) leave(EXIT_LIMIT);
  void *block = heap() + used;
  used += size;
  if (used > HEAP - ALIGNMENT) leave(EXIT_LIMIT);
  used = (used + ALIGNMENT - 1) & ~(word)(ALIGNMENT - 1);
  return block;
}

static void copy(u8 *target, const u8 *source, word size) {
  for (word i = 0; i < size; i++) target[i] = source[i];
}

/* The head of a block, right before it; the block `next` was freed before this one. */
struct head {
  word size;
  struct head *next;
};

static struct head *freed;
static int may_reuse, takes_freed;

static struct head *head_of(void *block) { return (struct head *)((u8 *)block - ALIGNMENT); }

void sea_reuse(u32 wanted) __asm__("sea.reuse");

void sea_reuse(u32 wanted) {
  may_reuse = 1;
  takes_freed = wanted & 1;
}

static void *allocate(word size) {
  if (size > HEAP) leave(EXIT_LIMIT);
  u8 *block = (u8 *)sea_reserve(size + ALIGNMENT) + ALIGNMENT;
  head_of(block)->size = size;
  watch_block(block, size);
  return block;
}

/* The block of this size that was freed last; null if none may be used again. */
static void *again(word size) {
  struct head **place = &freed;
  if (!takes_freed) return 0;
  takes_freed = 0;
  while (*place && (*place)->size != size) place = &(*place)->next;
  if (!*place) return 0;
  u8 *block = (u8 *)*place + ALIGNMENT;
  *place = (*place)->next;
  for (word i = 0; i < size; i++) block[i] = 0;
  watch_block(block, size);
  return block;
}

static void *fresh(word size) {
  void *block = again(size);
  return block ? block : allocate(size);
}

WEAK void *malloc(word size) { return fresh(size); }

WEAK void *calloc(word count, word size) {
  word total;
  if (__builtin_mul_overflow(count, size, &total)) return 0;
  return fresh(total);
}

WEAK void free(void *block) {
  watch_free(block);
  if (!may_reuse || !block) return;
  head_of(block)->next = freed;
  freed = head_of(block);
}

WEAK void *realloc(void *old, word size) {
  u8 *block = allocate(size);
  if (!old) return block;
  word length = head_of(old)->size;
  copy(block, old, length < size ? length : size);
  free(old);
  return block;
}

/* Here too, the head stands right before the block. */
WEAK void *aligned_alloc(word alignment, word size) {
  if (alignment < ALIGNMENT) return allocate(size);
  if (size > HEAP || alignment > HEAP) leave(EXIT_LIMIT);
  word end = (word)allocate(size + alignment) + alignment - 1;
  u8 *block = (u8 *)(end - end % alignment);
  head_of(block)->size = size;
  watch_block(block, size);
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
