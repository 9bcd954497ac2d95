#include <stddef.h>

#include "ring.h"

/*@ requires \valid(ring);
    assigns ring->first, ring->count;
    ensures ring->first == 0 && ring->count == 0; */
void ring_init(struct ring *ring) {
  ring->first = 0;
  ring->count = 0;
}

/*@ requires \valid(ring);
    assigns \nothing;
    ensures \result == (ring->count == SLOTS); */
int ring_is_full(const struct ring *ring) {
  return ring->count == SLOTS;
}

/*@ requires \valid(ring);
    assigns \nothing;
    ensures \result == (ring->count == 0); */
int ring_is_empty(const struct ring *ring) {
  return ring->count == 0;
}

/*@ requires \valid(ring);
    requires ring->first < SLOTS && ring->count <= SLOTS;
    assigns ring->count, ring->slots;
    ensures \old(ring->count) == SLOTS ==> \result == 0 && ring->count == SLOTS;
    ensures \old(ring->count) < SLOTS ==> \result == 1 && ring->count == \old(ring->count) + 1; */
int ring_push(struct ring *ring, int value) {
  if (ring_is_full(ring))
    return 0;
  ring->slots[wrapped(ring->first + ring->count)] = value;
  ring->count++;
  return 1;
}

/*@ requires \valid(ring) && \valid(value);
    requires ring->first < SLOTS && ring->count <= SLOTS;
    assigns ring->first, ring->count, *value;
    ensures ring->first < SLOTS && ring->count <= SLOTS;
    ensures \result == (\old(ring->count) != 0); */
int ring_pop(struct ring *ring, int *value) {
  if (ring_is_empty(ring))
    return 0;
  *value = ring->slots[ring->first];
  ring->first = wrapped(ring->first + 1);
  ring->count--;
  return 1;
}

/* its contract is in contracts.yml */
int ring_push_clamped(struct ring *ring, int value) {
  return ring_push(ring, clamp(value, -100, 100));
}
