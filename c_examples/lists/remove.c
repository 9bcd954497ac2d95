/* A node behind the first is taken out of a list and freed, then the rest is.
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
  if (head) {
    struct node *at = head;
    while (at->next && __VERIFIER_nondet_int())
      at = at->next;
    struct node *gone = at->next;
    if (gone) {
#ifndef BUG
      at->next = gone->next;
#endif
      free(gone);
    }
  }
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return 0;
}
