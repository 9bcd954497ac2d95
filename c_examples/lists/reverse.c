/* A list is turned round and followed.
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
  struct node *back = NULL;
  while (head) {
    struct node *next = head->next;
    head->next = back;
    back = head;
    head = next;
  }
#ifdef BUG
  head->value = 2;
#endif
  for (struct node *at = back; at; at = at->next)
    at->value = 1;
  return 0;
}
