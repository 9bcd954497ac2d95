/* A list of any length is built and followed.
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
#ifdef BUG
  for (struct node *at = head; at; at = at->next->next)
#else
  for (struct node *at = head; at; at = at->next)
#endif
    at->value = 1;
  return 0;
}
