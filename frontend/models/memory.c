/* Allocation in terms of `malloc`, `calloc`, `realloc` and `aligned_alloc`, which need no model, since
   every stage knows them.  Also atomic accesses by function. */
#include "model.h"

ANY(_Bool, exhausted, "malloc");
ANY_BYTES(any_contents, "malloc");

static int is_power_of_two(size_t x) { return x != 0 && (x & (x - 1)) == 0; }

void *checked_calloc(size_t count, size_t size) __asm__("sea.checked.calloc");
void *checked_calloc(size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return nothing(ENOMEM);
  return calloc(count, size);
}

/* A block that is to have 0 bytes is freed, as by glibc. */
static void *resized(void *block, size_t size) {
  if (block != NULL && size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, size);
}

void *checked_realloc(void *block, size_t size) __asm__("sea.checked.realloc");
void *checked_realloc(void *block, size_t size) { return resized(block, size); }

void *reallocarray(void *block, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return nothing(ENOMEM);
  return resized(block, total);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void *) != 0) return EINVAL;
  void *block = aligned_alloc(alignment, size);
  if (block == NULL) return ENOMEM;
  *result = block;
  return 0;
}

void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }

/* ------------------------------------------------------------------------ allocation may fail */

void *failing_malloc(size_t size) __asm__("sea.failing.malloc");
void *failing_malloc(size_t size) { return exhausted() ? nothing(ENOMEM) : malloc(size); }

void *failing_calloc(size_t count, size_t size) __asm__("sea.failing.calloc");
void *failing_calloc(size_t count, size_t size) {
  return exhausted() ? nothing(ENOMEM) : checked_calloc(count, size);
}

void *failing_realloc(void *block, size_t size) __asm__("sea.failing.realloc");
void *failing_realloc(void *block, size_t size) {
  return (block == NULL || size > 0) && exhausted() ? nothing(ENOMEM) : resized(block, size);
}

void *failing_aligned(size_t alignment, size_t size) __asm__("sea.failing.aligned_alloc");
void *failing_aligned(size_t alignment, size_t size) {
  return exhausted() ? nothing(ENOMEM) : aligned_alloc(alignment, size);
}

/* Fills a block that was just allocated with arbitrary contents. */
void fresh(void *block, size_t size) __asm__("sea.fresh");
void fresh(void *block, size_t size) {
  if (block != NULL) any_contents(block, size);
}

/* --------------------------------------------------------------------------- atomic accesses */

/* Atomic accesses to objects for which there is no instruction: clang calls these functions of its
   run-time library, with the size first.  There is one thread. */

void atomic_load(size_t size, const void *object, void *result, int order) __asm__("__atomic_load");
void atomic_load(size_t size, const void *object, void *result, int order) {
  __builtin_memcpy(result, object, size);
}

void atomic_store(size_t size, void *object, const void *value, int order)
    __asm__("__atomic_store");
void atomic_store(size_t size, void *object, const void *value, int order) {
  __builtin_memcpy(object, value, size);
}

/* The new value may lie where the old value is to go. */
static void swapped(size_t size, byte *object, byte *value) {
  for (size_t i = 0; i < size; i++) {
    byte old = object[i];
    object[i] = value[i];
    value[i] = old;
  }
}

void atomic_exchange(size_t size, void *object, void *value, void *result, int order)
    __asm__("__atomic_exchange");
void atomic_exchange(size_t size, void *object, void *value, void *result, int order) {
  if (value == result) {
    swapped(size, object, value);
    return;
  }
  __builtin_memcpy(result, object, size);
  __builtin_memcpy(object, value, size);
}

static int same(size_t size, const byte *left, const byte *right) {
  for (size_t i = 0; i < size; i++)
    if (left[i] != right[i]) return 0;
  return 1;
}

_Bool atomic_compare_exchange(
    size_t size, void *object, void *expected, const void *value, int success, int failure)
    __asm__("__atomic_compare_exchange");
_Bool atomic_compare_exchange(
    size_t size, void *object, void *expected, const void *value, int success, int failure) {
  claim_readable(object, size);
  claim_readable(expected, size);
  claim_readable(value, size);
  if (same(size, object, expected)) {
    __builtin_memcpy(object, value, size);
    return 1;
  }
  __builtin_memcpy(expected, object, size);
  return 0;
}
