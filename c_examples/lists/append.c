/* Nodes are put behind the last one of a list, which is then followed.
 * expected: safe, unsafe with -DBUG
 * property: valid-deref */
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL, *tail = NULL;
  while (__VERIFIER_nondet_int()) {
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
      exit(1);
    fresh->value = 0;
    fresh->next = NULL;
    if (tail)
      tail->next = fresh;
    else
      head = fresh;
    tail = fresh;
  }
#ifdef BUG
  tail->value = 2;
#endif
  for (struct node *at = head; at; at = at->next)
    at->value = 1;
  return 0;
}
