// sea-py pf: the loop reads `next` of the node that it has just freed
#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static struct node *push(struct node *list, int value) {
  struct node *node = malloc(sizeof *node);
  if (node == NULL)
    abort();
  node->value = value;
  node->next = list;
  return node;
}

static void drop(struct node *list) {
  for (struct node *n = list; n != NULL; n = n->next)
    free(n);
}

int main(void) {
  struct node *list = NULL;
  int c;
  while ((c = getchar()) != EOF && c != '\n')
    list = push(list, c);
  drop(list);
  return 0;
}
