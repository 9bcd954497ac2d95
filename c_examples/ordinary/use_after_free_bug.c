// expected: unsafe (valid-deref): the loop reads a node that it has freed
#include <stdlib.h>

struct node {
  struct node *next;
  int value;
};

static struct node *push(struct node *head, int value) {
  struct node *made = malloc(sizeof *made);
  if (made == NULL)
    return head;
  made->next = head;
  made->value = value;
  return made;
}

static void drop(struct node *head) {
  for (struct node *node = head; node != NULL; node = node->next)
    free(node);
}

int main(void) {
  struct node *head = NULL;
  for (int k = 0; k < 3; k++)
    head = push(head, k);
  drop(head);
  return 0;
}
