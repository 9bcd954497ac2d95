/* A doubly linked list is built, and followed; each node leads back to the one before.
 * expected: safe, unsafe with -DBUG
 * property: valid-deref */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
  struct node *previous;
};

int main(void) {
  struct node *head = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
      exit(1);
    fresh->value = 0;
    fresh->next = head;
    fresh->previous = NULL;
    if (head)
      head->previous = fresh;
    head = fresh;
  }
  for (struct node *at = head; at; at = at->next)
#ifdef BUG
    at->previous->value = 1;
#else
    if (at->previous)
      at->previous->value = 1;
#endif
  return 0;
}
