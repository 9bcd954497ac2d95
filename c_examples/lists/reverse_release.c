/* A list is turned round and freed.
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
  head = back;
  while (head) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
#ifdef BUG
  if (back)
    free(back);
#endif
  return 0;
}
