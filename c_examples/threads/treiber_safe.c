// expected: safe
// Treiber's stack: two pushes.
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

struct node {
  struct node *next;
};

struct node nodes[2];
_Atomic(struct node *) top;

static void push(struct node *node) {
  struct node *seen = atomic_load(&top);
  do {
    node->next = seen;
  } while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static void *pushes(void *given) {
  push(&nodes[1]);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, pushes, 0);
  push(&nodes[0]);
  pthread_join(thread, 0);
  struct node *first = atomic_load(&top);
  if (first->next == 0 || first->next->next != 0) reach_error();
  return 0;
}
