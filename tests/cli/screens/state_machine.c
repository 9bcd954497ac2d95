// sea-py pf: a door that is opening may not be opened again
#include <assert.h>
#include <stdio.h>

enum state { CLOSED, OPENING, OPEN, CLOSING };

static enum state step(enum state now, int key) {
  enum state old = now;
  switch (key) {
  case 'o':
    if (now != OPEN)
      now = OPENING;
    break;
  case 'c':
    now = CLOSING;
    break;
  case 't':
    now = now == OPENING ? OPEN : CLOSED;
    break;
  }
  if (now == OPEN)
    assert(old == OPENING || old == OPEN);
  if (now == CLOSED)
    assert(old == CLOSING || old == CLOSED);
  return now;
}

int main(void) {
  enum state state = CLOSED;
  int c;
  while ((c = getchar()) != EOF)
    state = step(state, c);
  return state == CLOSED ? 0 : 1;
}
