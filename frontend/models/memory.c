/* Memory from the heap in terms of `malloc`, `calloc`, `realloc` and `aligned_alloc`, which have no
   model: every stage knows them. */
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

void *reallocarray(void *block, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) return nothing(ENOMEM);
  return realloc(block, total);
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
  return exhausted() ? nothing(ENOMEM) : realloc(block, size);
}

void *failing_aligned(size_t alignment, size_t size) __asm__("sea.failing.aligned_alloc");
void *failing_aligned(size_t alignment, size_t size) {
  return exhausted() ? nothing(ENOMEM) : aligned_alloc(alignment, size);
}

/* The contents of a block that was just allocated. */
void fresh(void *block, size_t size) __asm__("sea.fresh");
void fresh(void *block, size_t size) {
  if (block != NULL) any_contents(block, size);
}
