/* signal.h (C17, 7.14; POSIX): what handles each signal, and signals that the program sends to itself.
   Others may come at any time, so no proof stands where the program has a handler; an error may rest
   on one that comes as soon as its handler is there. */
#include "model.h"

typedef void (*handler)(int);

enum { SIGNALS = 65, KILL = 9, CHILD = 17, CONTINUE = 18, STOP = 19, SUSPEND = 20, READS = 21, WRITES = 22, URGENT = 23, WINDOW = 28 };
enum { SET = 128, WITH_INFORMATION = 4, ONCE = (int)0x80000000 };
#define DEFAULT ((handler)0)
#define IGNORED ((handler)1)

ANY(_Bool, is_ignored, "signal");
ANY(_Bool, arrives, "signal");
ANY(_Bool, is_kept, "sigaddset");
ANY(_Bool, is_told, "sigismember");
ANY_BYTES(any_action, "sigaction");
UNKNOWN(order_is_unknown, "raise");
USES(blocks, "sigprocmask.pthread_sigmask.sigsuspend.sigblock.sigsetmask.sighold.sigset.pthread_create."
             "ssignal.bsd_signal.sysv_signal.__sysv_signal.sigvec");
USES(has_handlers, "signal.sigaction");
CLAIM_ROOM(claim_no_handler, "signal");
void _Exit(int status);

static handler handlers[SIGNALS];
static int flags[SIGNALS];
static _Bool is_set[SIGNALS];

static _Bool can_be_handled(int number) {
  return number > 0 && number < SIGNALS && number != KILL && number != STOP;
}

/* At the start a signal may be ignored, as the program that started this one has left it, but for
   those that end or stop a run in any case. */
static handler current(int number) {
  if (!is_set[number]) {
    is_set[number] = 1;
    handlers[number] = can_be_handled(number) && is_ignored() ? IGNORED : DEFAULT;
  }
  return handlers[number];
}

static void handle(int number) {
  handler chosen = current(number);
  if (!has_handlers()) return;
  if (blocks() || (flags[number] & WITH_INFORMATION)) order_is_unknown();
  if (flags[number] & ONCE) handlers[number] = DEFAULT;
  chosen(number);
}

static void set_handler(int number, handler new, int chosen) {
  handlers[number] = new;
  flags[number] = chosen;
  is_set[number] = 1;
  if (new == DEFAULT || new == IGNORED) return;
  claim_no_handler(0);
  if (arrives()) handle(number);
}

/* The handler stays, as that of BSD and GNU does. */
handler signal(int number, handler new) {
  if (!can_be_handled(number)) {
    failed(EINVAL, -1);
    return (handler)-1;
  }
  handler old = current(number);
  set_handler(number, new, 0);
  return old;
}

struct action {
  handler handler;
  byte blocked[SET];
  int flags;
  void (*restorer)(void);
};

int sigaction(int number, const struct action *restrict new, struct action *restrict old) {
  if (new != NULL) claim_readable(new, sizeof *new);
  if (old != NULL) claim_writable(old, sizeof *old);
  if (!can_be_handled(number)) return failed(EINVAL, -1);
  handler before = current(number);
  if (old != NULL) {
    any_action(old, sizeof *old);
    old->handler = before;
    old->flags = flags[number];
  }
  if (new != NULL) set_handler(number, new->handler, new->flags);
  return 0;
}

static _Bool goes_by(int number) {
  return number == 0 || number == CHILD || number == CONTINUE || number == URGENT || number == WINDOW ||
         number == STOP || number == SUSPEND || number == READS || number == WRITES;
}

/* Without a handler most signals end the run; after those that stop it, it may go on. */
int raise(int number) {
  if (number < 0 || number >= SIGNALS) return failed(EINVAL, -1);
  handler chosen = current(number);
  if (blocks()) order_is_unknown();
  if (chosen == IGNORED && number != KILL && number != STOP) return 0;
  if (chosen != DEFAULT)
    handle(number);
  else if (!goes_by(number))
    _Exit(128 + number);
  return 0;
}

/* -------------------------------------------------------------------------------------- sets */

static int filled(byte *set, int value) {
  claim_writable(set, SET);
  __builtin_memset(set, value, SET);
  return 0;
}

int sigemptyset(byte *set) { return filled(set, 0); }
int sigfillset(byte *set) { return filled(set, 255); }

static _Bool is_number(int number) { return number > 0 && number < SIGNALS; }

/* Libraries keep 32 and 33 for threads, and musl keeps 34, too. */
static _Bool can_be_set(int number) {
  if (number == 34) return !is_kept();
  return is_number(number) && number != 32 && number != 33;
}

int sigaddset(byte *set, int number) {
  if (!can_be_set(number)) return failed(EINVAL, -1);
  set[(number - 1) / 8] |= (byte)(1 << (number - 1) % 8);
  return 0;
}

int sigdelset(byte *set, int number) {
  if (!can_be_set(number)) return failed(EINVAL, -1);
  set[(number - 1) / 8] &= (byte)~(1 << (number - 1) % 8);
  return 0;
}

/* No number of a signal is an error, or in no set (POSIX: may fail). */
int sigismember(const byte *set, int number) {
  if (!is_number(number)) return is_told() ? failed(EINVAL, -1) : 0;
  return set[(number - 1) / 8] >> (number - 1) % 8 & 1;
}
