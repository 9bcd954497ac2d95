/* Nodes are put behind nodes of a list, which is then followed.
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
    struct node *at = head;
    while (at && at->next && __VERIFIER_nondet_int())
      at = at->next;
#ifdef BUG
    fresh->next = at->next;
    at->next = fresh;
    head = head ? head : fresh;
#else
    if (at) {
      fresh->next = at->next;
      at->next = fresh;
    } else {
      fresh->next = NULL;
      head = fresh;
    }
#endif
  }
  for (struct node *at = head; at; at = at->next)
    at->value = 1;
  return 0;
}
