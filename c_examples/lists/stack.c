/* Nodes are put before a list and taken from it in any order.
 * expected: safe, unsafe with -DBUG
 * property: valid-free */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL;
  while (__VERIFIER_nondet_int()) {
    if (__VERIFIER_nondet_int()) {
      struct node *fresh = malloc(sizeof *fresh);
      if (!fresh)
        exit(1);
      fresh->value = 0;
      fresh->next = head;
      head = fresh;
    } else if (head) {
      struct node *next = head->next;
      free(head);
#ifdef BUG
      free(head);
#endif
      head = next;
    }
  }
  return 0;
}
