/* Whether memory is valid, for watched runs.  The answer is a suspicion, which the interpreter judges.

   The table has globals, locals of activations that go on, and blocks of the heap.  A local below the
   present end of the stack is dead.  Once the table is full, no access counts as invalid; nor does one
   where the text names no object. */

#include "runtime.h"

enum { OBJECTS = 1 << 14 };

enum kind { OTHER, BLOCK, OUT_OF_SCOPE };

struct object {
  word begin, end;
  enum kind kind;
};

static struct object objects[OBJECTS];
static u32 count, last;
static int is_full, is_named;

static int is_watched(void) { return RUN->request->watch && is_named && !is_full; }

#define STACK_END ((word)__builtin_frame_address(0))

static int on_stack(word address) { return address <= RUN->stack && RUN->stack - address < STACK; }

static int is_gone(const struct object *object, word stack_end) {
  return object->begin < stack_end && on_stack(object->begin);
}

/* Add an object.  Objects at its place, and locals of activations that ended, are removed. */
static void add(word begin, word end, enum kind kind, word stack_end) {
  u32 kept = 0;
  for (u32 i = 0; i < count; i++) {
    struct object *old = &objects[i];
    if (is_gone(old, stack_end) || (old->begin < end && begin < old->end)) continue;
    objects[kept++] = *old;
  }
  count = kept;
  if (count == OBJECTS) {
    is_full = 1;
    return;
  }
  objects[count++] = (struct object){begin, end, kind};
}

static struct object *object_at(word begin) {
  for (u32 i = count; i-- > 0;)
    if (objects[i].begin == begin) return &objects[i];
  return 0;
}

void sea_object(const u8 *address, word size) __asm__("sea.object");

void sea_object(const u8 *address, word size) {
  is_named = 1;
  if (is_watched() && size > 0) add((word)address, (word)address + size, OTHER, STACK_END);
}

void watch_block(const void *block, word size) {
  if (is_watched()) add((word)block, (word)block + (size ? size : 1), BLOCK, STACK_END);
}

void watch_free(const void *block) {
  struct object *object = is_watched() ? object_at((word)block) : 0;
  if (object) *object = objects[--count];
}

static int holds(const struct object *object, word begin, word size, word stack_end) {
  return object->begin <= begin && begin <= object->end && size <= object->end - begin &&
         object->kind != OUT_OF_SCOPE && !is_gone(object, stack_end);
}

static u8 is_valid(word begin, word size, word stack_end) {
  if (!is_watched() || size == 0) return 1;
  if (last < count && holds(&objects[last], begin, size, stack_end)) return 1;
  for (last = count; last-- > 0;)
    if (holds(&objects[last], begin, size, stack_end)) return 1;
  return 0;
}

u8 sea_valid_access(const u8 *address, word size) __asm__("sea.valid.access");
u8 sea_valid_write(const u8 *address, word size) __asm__("sea.valid.write");
u8 sea_valid_free(const u8 *address) __asm__("sea.valid.free");
u8 sea_valid_noleak(void) __asm__("sea.valid.noleak");
u8 sea_valid_nolost(void) __asm__("sea.valid.nolost");

u8 sea_valid_access(const u8 *address, word size) { return is_valid((word)address, size, STACK_END); }

u8 sea_valid_write(const u8 *address, word size) { return is_valid((word)address, size, STACK_END); }

u8 sea_valid_free(const u8 *address) {
  if (!is_watched() || address == 0) return 1;
  const struct object *object = object_at((word)address);
  return object != 0 && object->kind == BLOCK;
}

u8 sea_valid_noleak(void) { return 1; }
u8 sea_valid_nolost(void) { return 1; }

void sea_scope(const u8 *address, u32 live) __asm__("sea.scope");

void sea_scope(const u8 *address, u32 live) {
  struct object *object = is_watched() ? object_at((word)address) : 0;
  if (object && object->kind != BLOCK) object->kind = live & 1 ? OTHER : OUT_OF_SCOPE;
}
