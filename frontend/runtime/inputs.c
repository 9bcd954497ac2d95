/* The sea functions: inputs, fed by site and visit or drawn, and recorded; checks, assumptions, ends. */

#include "runtime.h"

/* A drawn run ends after so many scalar inputs, since it may be in a loop that reads for ever. */
enum { DRAWN_SCALARS = 1 << 15 };

static u32 drawn_scalars;

int fetch(u32 site, struct value *out) {
  struct request *request = RUN->request;
  u8 *base = (u8 *)request;
  struct feed *feed = (struct feed *)(base + request->sites_at) + site;
  if (site >= request->sites || feed->count == 0) return 0;
  if (feed->count == (u64)ALWAYS_ZERO) return 1;
  if (feed->count == (u64)AMOUNT) return 0;
  *out = ((struct value *)(base + request->values_at))[feed->next];
  feed->next++;
  feed->count--;
  return 1;
}

int is_amount(u32 site) {
  struct request *request = RUN->request;
  struct feed *feed = (struct feed *)((u8 *)request + request->sites_at) + site;
  return site < request->sites && feed->count == (u64)AMOUNT;
}

void record(u32 site, const struct value *value) {
  struct read *next = RUN->next;
  next->site = site;
  next->value = *value;
  RUN->next = next + 1;
  RUN->area->reads++;
}

static void truncate_to(u32 width, struct value *value) {
  if (width < 64) value->low &= (1ull << width) - 1;
  if (width <= 64) value->high = 0;
  if (width > 64 && width < 128) value->high &= (1ull << (width - 64)) - 1;
}

static u32 width_of(u32 kind) {
  switch (kind) {
    case KIND_FLOAT: return 32;
    case KIND_DOUBLE: return 64;
    case KIND_X87: return 80;
    case KIND_POINTER: return 8 * sizeof(word);
    default: return kind;
  }
}

/* A pointer that is given leads to where no object lies, as error codes in pointers do; it is null
   otherwise, since a run can have no other address in advance. */
static void keep_nowhere(struct value *value) {
  word address = (word)value->low;
  if (address + NOWHERE >= 2 * NOWHERE) value->low = 0;
}

/* A drawn value that the record has no room for is 0.  So the record as a feed, which is 0 beyond its
   end, gives the same run again. */
static void next_value(u32 site, u32 kind, struct value *out) {
  int room = RUN->next < RUN->end;
  out->low = out->high = 0;
  if (!fetch(site, out) && RUN->request->mode == MODE_DRAW && room) draw(site, kind, out);
  truncate_to(width_of(kind), out);
  if (kind == KIND_POINTER) keep_nowhere(out);
  if (room) record(site, out);
}

void sea_read(u32 site, u32 kind, struct value *out) __asm__("sea.read");

void sea_read(u32 site, u32 kind, struct value *out) {
  if (RUN->request->mode == MODE_DRAW && ++drawn_scalars > DRAWN_SCALARS) leave(EXIT_LIMIT);
  next_value(site, kind, out);
}

void sea_havoc(u8 *target, word size, u32 site) __asm__("sea.havoc");

void sea_havoc(u8 *target, word size, u32 site) {
  for (word i = 0; i < size; i++) {
    struct value value;
    next_value(site, 8, &value);
    target[i] = (u8)value.low;
  }
}

/* Only the lowest bit of an i1 argument is defined.  Weak, since `alone.c` has another one.  The nonce
   of this run is copied to the area, where the server looks, and stays in no register. */
__attribute__((weak)) void sea_check(u32 bit, u32 number) __asm__("sea.check");

void sea_check(u32 bit, u32 number) {
  if (bit & 1) return;
  RUN->area->check = number;
  RUN->area->verdict = RUN->nonce;
  leave(EXIT_FAILED);
}

void sea_assume(u32 bit) __asm__("sea.assume");

void sea_assume(u32 bit) {
  if (!(bit & 1)) leave(EXIT_BLOCKED);
}

void sea_defined(u32 bit) __asm__("sea.defined");

void sea_defined(u32 bit) {
  if (!(bit & 1)) leave(EXIT_END);
}

void sea_stop(void) __asm__("sea.stop");

void sea_stop(void) { leave(EXIT_END); }

void sea_undefined(void) __asm__("sea.undefined");

void sea_undefined(void) { leave(EXIT_END); }
