#include "queue.h"

void queue_init(struct queue *queue) {
  queue->first = queue->count = 0;
}

int queue_put(struct queue *queue, int item) {
  if (queue->count > SLOTS) // one too many: it should be >=
    return 0;
  queue->item[(queue->first + queue->count) % SLOTS] = item;
  queue->count++;
  return 1;
}

int queue_get(struct queue *queue, int *item) {
  if (queue->count == 0)
    return 0;
  *item = queue->item[queue->first];
  queue->first = (queue->first + 1) % SLOTS;
  queue->count--;
  return 1;
}
