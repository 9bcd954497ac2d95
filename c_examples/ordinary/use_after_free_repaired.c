// expected: safe
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
  while (head != NULL) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
}

int main(void) {
  struct node *head = NULL;
  for (int k = 0; k < 3; k++)
    head = push(head, k);
  drop(head);
  return 0;
}
