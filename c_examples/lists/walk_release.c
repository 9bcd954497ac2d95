/* A list is built, followed and freed.
 * expected: safe, unsafe with -DBUG
 * property: valid-deref */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
      exit(1);
    fresh->value = 0;
    fresh->next = head;
    head = fresh;
  }
  for (struct node *at = head; at; at = at->next)
    at->value = 1;
  while (head) {
    struct node *next = head->next;
    free(head);
#ifdef BUG
    head = head->next;
#else
    head = next;
#endif
  }
  return 0;
}
