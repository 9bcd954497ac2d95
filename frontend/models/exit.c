/* The normal end of a program (C17, 7.22.4): handlers run in reverse order, also those that a handler
   registers, and then destructors.  `exit` has this model only in programs with handlers of `atexit`
   or destructors, `quick_exit` only in programs that register handlers of `at_quick_exit`.  A second
   call of either while the program ends is undefined. */
#include "model.h"

CLAIM_ROOM(claim_room, "atexit");
CLAIM_ROOM(claim_quick_room, "at_quick_exit");
USES(registers, "atexit");
UNKNOWN(second_end_is_unknown, "exit");

enum { HANDLERS = 32 };

void _Exit(int status);
void run_destructors(void) __asm__("sea.destructors");

static void (*handlers[HANDLERS])(void);
static void (*quick_handlers[HANDLERS])(void);
static unsigned registered, quick_registered;
static _Bool ends;

int atexit(void (*handler)(void)) {
  claim_room(registered < HANDLERS);
  if (registered == HANDLERS) return -1;
  handlers[registered++] = handler;
  return 0;
}

int at_quick_exit(void (*handler)(void)) {
  claim_quick_room(quick_registered < HANDLERS);
  if (quick_registered == HANDLERS) return -1;
  quick_handlers[quick_registered++] = handler;
  return 0;
}

static void begin_end(void) {
  if (ends) second_end_is_unknown();
  ends = 1;
}

void finish(void) __asm__("sea.at_exit");
void finish(void) {
  begin_end();
  if (registers())
    while (registered > 0) handlers[--registered]();
  run_destructors();
}

void exit(int status) {
  finish();
  _Exit(status);
}

void finish_quickly(void) __asm__("sea.at_quick_exit");
void finish_quickly(void) {
  begin_end();
  while (quick_registered > 0) quick_handlers[--quick_registered]();
}

void quick_exit(int status) {
  finish_quickly();
  _Exit(status);
}
