#ifndef QUEUE_H
#define QUEUE_H
#ifndef SLOTS
#define SLOTS 8
#endif
struct queue {
  int item[SLOTS];
  unsigned first, count;
};
void queue_init(struct queue *queue);
int queue_put(struct queue *queue, int item);
int queue_get(struct queue *queue, int *item);
#endif
