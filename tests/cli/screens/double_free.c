// sea-py pf: the error path frees the buffer, and so does the caller
#include <stdio.h>
#include <stdlib.h>

struct message {
  char *text;
  int length;
};

static int receive(struct message *m) {
  m->length = getchar();
  if (m->length <= 0)
    return -1;
  m->text = malloc(m->length);
  if (m->text == NULL)
    return -1;
  for (int k = 0; k < m->length; k++) {
    int c = getchar();
    if (c == EOF) {
      free(m->text);
      return -1;
    }
    m->text[k] = (char)c;
  }
  return 0;
}

int main(void) {
  struct message m = {NULL, 0};
  int status = receive(&m);
  free(m.text);
  return status == 0 ? 0 : 1;
}
