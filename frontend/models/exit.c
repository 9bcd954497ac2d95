/* `atexit` and the normal end of a program (C17, 7.22.4): handlers run in reverse order, also those
   that a handler registers.  `exit` has this model only in programs that register some. */
#include "model.h"

CLAIM_ROOM(claim_room, "atexit");

enum { HANDLERS = 32 };

void _Exit(int status);

static void (*handlers[HANDLERS])(void);
static unsigned registered;

int atexit(void (*handler)(void)) {
  claim_room(registered < HANDLERS);
  if (registered == HANDLERS) return -1;
  handlers[registered++] = handler;
  return 0;
}

void run_handlers(void) __asm__("sea.at_exit");
void run_handlers(void) {
  while (registered > 0) handlers[--registered]();
}

void exit(int status) {
  run_handlers();
  _Exit(status);
}
