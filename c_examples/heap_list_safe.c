// expected: safe (bv only)
// A list of at most three nodes on the heap: what was put in is what comes out.
#include <assert.h>
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

struct node {
  int value;
  struct node *next;
};

int main(void) {
  int count = __VERIFIER_nondet_int();
  if (count < 0 || count > 3)
    return 0;
  struct node *head = NULL;
  for (int i = 0; i < count; i++) {
    struct node *fresh = malloc(sizeof *fresh);
    fresh->value = 2;
    fresh->next = head;
    head = fresh;
  }
  int sum = 0;
  while (head) {
    struct node *next = head->next;
    sum += head->value;
    free(head);
    head = next;
  }
  assert(sum == 2 * count);
  return 0;
}
