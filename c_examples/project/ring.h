/* a ring of numbers: what is pushed first is popped first */
#ifndef RING_H
#define RING_H

#define SLOTS 8u

struct ring {
  unsigned first;
  unsigned count;
  int slots[SLOTS];
};

unsigned wrapped(unsigned index);
int clamp(int value, int low, int high);

void ring_init(struct ring *ring);
int ring_is_full(const struct ring *ring);
int ring_is_empty(const struct ring *ring);
int ring_push(struct ring *ring, int value);
int ring_pop(struct ring *ring, int *value);
int ring_push_clamped(struct ring *ring, int value);

#endif
