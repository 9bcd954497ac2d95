/* What the models of threads share: the primitives that the product of threads gives a meaning, and
   locks.  An atomic section is one step of its thread.  Where it waits, waiting comes before any
   effect: the step can be taken only where the condition holds, and a thread that has no step left
   for ever is in a deadlock.  Threads have the numbers 0 (`main`), 1 and so on; programs see the
   number after that, so that no thread is 0. */
#ifndef SEA_THREADS_H
#define SEA_THREADS_H
#include "model.h"

/* `end` is called with the result of `start`, which may be an `int`. */
int __sea_thread_create(void *(*start)(void *), void *argument, void (*end)(void *));
int __sea_thread_self(void);
_Bool __sea_thread_ended(int thread);
void __sea_thread_exit(void) __attribute__((noreturn));
void __sea_atomic_begin(void);
void __sea_atomic_end(void);
void __sea_thread_wait(_Bool condition);

typedef unsigned long thread_name;
typedef unsigned set; /* of threads, a bit each */

enum { THREADS = 32 };
enum { NORMAL, RECURSIVE, ERROR_CHECKING, ADAPTIVE, KINDS };

/* What POSIX leaves undefined: no proof stands where a run may come here, and no error. */
#define UNDEFINED(name, of) void name(void) __asm__("sea.claim.chosen." of)

CLAIM_ROOM(claim_threads, "pthread_create");

static inline int own_name(void) { return __sea_thread_self() + 1; }

#define BITS(k) (set)1 << (k), (set)2 << (k), (set)4 << (k), (set)8 << (k)
static const set bit_of[THREADS] = {BITS(0),  BITS(4),  BITS(8),  BITS(12),
                                    BITS(16), BITS(20), BITS(24), BITS(28)};

static inline set own_bit(void) {
  int self = __sea_thread_self();
  claim_threads(self < THREADS);
  return bit_of[self & (THREADS - 1)];
}

/* The end of an atomic section that gives a result. */
static inline int after(int result) {
  __sea_atomic_end();
  return result;
}

/* A mutex, where glibc has its fields: initialisers of its headers set the kind alone.  `repeats`
   is how often the holder has locked it again. */
struct mutex {
  int holder;
  unsigned repeats;
#ifdef __x86_64__
  int unused[2];
#else
  int unused;
#endif
  int kind;
};

/* Bits, and few branches, since the product has many copies of these. */
static inline int tells_owner(const struct mutex *mutex) {
  return (mutex->kind == RECURSIVE) | (mutex->kind == ERROR_CHECKING);
}

static inline int is_own(const struct mutex *mutex) {
  return tells_owner(mutex) & (mutex->holder == own_name());
}

/* Inside of a step, where the mutex is free or `again` locked by its holder, who may be told. */
static inline int locked(struct mutex *mutex, int again) {
  mutex->holder = own_name();
  if (!again) return 0;
  if (mutex->kind == ERROR_CHECKING) return EDEADLK;
  mutex->repeats++;
  return 0;
}

static inline int lock(struct mutex *mutex) {
  __sea_atomic_begin();
  int again = is_own(mutex);
  __sea_thread_wait((mutex->holder == 0) | again);
  return after(locked(mutex, again));
}

/* With the result `busy` where the mutex is locked, also by its own thread unless it is recursive.
   A lock with a limit of time is the same: a thread that takes its step while the mutex is locked
   has come to the limit before it could lock, else it has waited long enough. */
static inline int try_lock(struct mutex *mutex, int busy) {
  __sea_atomic_begin();
  int again = (mutex->kind == RECURSIVE) & is_own(mutex);
  if ((mutex->holder != 0) & !again) return after(busy);
  return after(locked(mutex, again));
}

/* Whether POSIX does not say what a release does. */
static inline int is_foreign(const struct mutex *mutex) {
  return (mutex->holder != own_name()) & !tells_owner(mutex);
}

static inline int repeats(const struct mutex *mutex) {
  return (mutex->kind == RECURSIVE) & (mutex->repeats > 0);
}

/* Inside of a step. */
static inline int released(struct mutex *mutex) {
  if (mutex->holder != own_name()) return EPERM;
  if (repeats(mutex))
    mutex->repeats--;
  else
    mutex->holder = 0;
  return 0;
}

/* Those that wait for a condition and were not woken. */
struct condition {
  set waiting;
};

/* Whether it matters who waits.  A wait may end by itself, so a run in which a thread is not woken is
   one in which it makes no step any more: only a deadlock, and the end of a condition for which
   threads wait, tell the two apart. */
USES(counts_waits, "__sea_no_deadlock.pthread_cond_destroy");

/* The first step of a wait: the mutex is released and the wait begins. */
#define BEGUN_WAIT(condition, mutex, is_unknown)                                                   \
  (__sea_atomic_begin(), is_foreign(mutex) | repeats(mutex) ? is_unknown() : (void)0,             \
   begun(condition, mutex))

static inline int begun(struct condition *condition, struct mutex *mutex) {
  int reason = released(mutex);
  claim_writable(condition, sizeof *condition);
  if (counts_waits()) condition->waiting |= reason == 0 ? own_bit() : 0;
  return after(reason);
}

/* The second step: the thread was woken and the mutex is free.  A wait of which `wakes` holds may
   end by itself at any time; the choice is made before, so that another one may wait for ever. */
static inline void ended_wait(struct condition *condition, struct mutex *mutex, _Bool wakes) {
  set self = own_bit();
  __sea_atomic_begin();
  if (counts_waits()) {
    __sea_thread_wait((mutex->holder == 0) & (wakes | ((condition->waiting & self) == 0)));
    condition->waiting &= ~self;
  } else {
    __sea_thread_wait(mutex->holder == 0);
  }
  mutex->holder = own_name();
  __sea_atomic_end();
}

/* Inside of a step: wake at least one of those that wait; those in an arbitrary set may be left. */
static inline int wake(struct condition *condition, set left) {
  set waiting = condition->waiting;
  set rest = waiting & left;
  condition->waiting = rest != waiting ? rest : 0;
  return after(0);
}

static inline int wake_all(struct condition *condition) {
  claim_writable(condition, sizeof *condition);
  if (!counts_waits()) return 0;
  __sea_atomic_begin();
  condition->waiting = 0;
  return after(0);
}

/* What other models need of `threads.c`: it keeps what is known of each thread. */
int make_thread(thread_name *, const void *, void *(*)(void *), void *) __asm__("sea.thread.make");
int join_thread(thread_name, void **) __asm__("sea.thread.join");
int detach_thread(thread_name) __asm__("sea.thread.detach");
void end_thread(void *) __asm__("sea.thread.end");
int make_key(unsigned *, void (*)(void *)) __asm__("sea.key.make");
int delete_key(unsigned) __asm__("sea.key.delete");
void *value_of_key(unsigned) __asm__("sea.key.value");
int set_key(unsigned, const void *) __asm__("sea.key.set");
int run_once(int *, void (*)(void)) __asm__("sea.once");

#endif
