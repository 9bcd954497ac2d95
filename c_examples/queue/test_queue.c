#include "queue.h"
#include <assert.h>

int nondet_int(void);

int main(void) {
  struct queue queue;
  queue_init(&queue);
  for (int i = 0; i < 6; i++) {
    int item;
    if (nondet_int())
      queue_put(&queue, i);
    else
      queue_get(&queue, &item);
    assert(queue.count <= SLOTS);
  }
  return 0;
}
