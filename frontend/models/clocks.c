/* Clocks of time.h and sys/times.h (POSIX; those of Linux). */
#include "model.h"

ANY(unsigned long, any_seconds, "clock_gettime");
ANY(unsigned, any_nanoseconds, "clock_gettime");
ANY(_Bool, is_there, "clock_gettime");
ANY(_Bool, sleeps, "nanosleep");
ANY(unsigned long, any_rest, "nanosleep");
ANY(unsigned, any_part, "nanosleep");
ANY(unsigned long, any_ticks, "times");

enum { REAL = 0, COARSE = 5, REAL_ALARM = 8, BOOT_ALARM = 9, ATOMIC = 11, CLOCKS = 12, SECOND = 1000000000 };

struct moment {
  long seconds, nanoseconds;
};

static struct moment last[CLOCKS];

static _Bool can_be_set(int clock) {
  return clock == REAL || clock == COARSE || clock == REAL_ALARM || clock == ATOMIC;
}

static struct moment any_moment(void) {
  return (struct moment){(long)(any_seconds() >> 1), (long)(any_nanoseconds() % SECOND)};
}

/* A clock that nobody sets does not go back. */
static struct moment now_of(int clock) {
  struct moment now = any_moment();
  if (can_be_set(clock) || clock < 0 || clock >= CLOCKS) return now;
  struct moment before = last[clock];
  if (now.seconds < before.seconds || (now.seconds == before.seconds && now.nanoseconds < before.nanoseconds))
    now = before;
  return last[clock] = now;
}

/* Those below 8 are there; others may be. */
int clock_gettime(int clock, struct moment *result) {
  claim_writable(result, sizeof *result);
  if ((clock < 0 || clock >= REAL_ALARM) && !is_there()) return failed(EINVAL, -1);
  *result = now_of(clock);
  return 0;
}

int clock_getres(int clock, struct moment *result) {
  if (result != NULL) claim_writable(result, sizeof *result);
  if ((clock < 0 || clock >= REAL_ALARM) && !is_there()) return failed(EINVAL, -1);
  if (result != NULL) *result = any_moment();
  return 0;
}

int timespec_get(struct moment *result, int base) {
  claim_writable(result, sizeof *result);
  if (base != 1 || !is_there()) return 0;
  *result = any_moment();
  return base;
}

static _Bool is_time(const struct moment *given) {
  return given->seconds >= 0 && given->nanoseconds >= 0 && given->nanoseconds < SECOND;
}

/* What is left, if a signal ends the sleep. */
static void set_rest(const struct moment *given, struct moment *rest) {
  if (rest == NULL) return;
  long seconds = (long)(any_rest() >> 1), part = (long)(any_part() % SECOND);
  __VERIFIER_assume(seconds < given->seconds || (seconds == given->seconds && part <= given->nanoseconds));
  rest->seconds = seconds;
  rest->nanoseconds = part;
}

int nanosleep(const struct moment *given, struct moment *rest) {
  claim_readable(given, sizeof *given);
  if (!is_time(given)) return failed(EINVAL, -1);
  if (sleeps()) return 0;
  set_rest(given, rest);
  return failed(EINTR, -1);
}

/* The reason is the result. */
int clock_nanosleep(int clock, int flags, const struct moment *given, struct moment *rest) {
  claim_readable(given, sizeof *given);
  if (!is_time(given)) return EINVAL;
  if (sleeps()) return 0;
  if (clock != REAL && !is_there()) return is_there() ? EINVAL : ENOTSUP;
  if (flags == 0) set_rest(given, rest);
  return EINTR;
}

long times(long *used) {
  claim_writable(used, 4 * sizeof *used);
  for (int k = 0; k < 4; k++) used[k] = (long)(any_ticks() >> 1);
  return (long)any_ticks();
}
