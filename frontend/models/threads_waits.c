/* Condition variables (POSIX, pthread.h) and semaphores (semaphore.h).  A wait for a condition may
   end without a signal; a signal wakes one of the threads that wait, or several. */
#include "threads.h"

UNDEFINED(wait_is_unknown, "pthread_cond_wait");
UNDEFINED(destroy_is_unknown, "pthread_cond_destroy");
ANY(_Bool, is_spurious, "pthread_cond_wait");
ANY(_Bool, is_late, "pthread_cond_timedwait");
ANY(set, any_left, "pthread_cond_signal");

struct time { long seconds, nanoseconds; };

int pthread_cond_init(struct condition *condition, const void *attributes) {
  __sea_atomic_begin();
  condition->waiting = 0;
  return after(0);
}

int pthread_cond_destroy(struct condition *condition) {
  __sea_atomic_begin();
  if (condition->waiting != 0) destroy_is_unknown();
  return after(0);
}

int pthread_cond_signal(struct condition *condition) {
  claim_writable(condition, sizeof *condition);
  if (!counts_waits()) return 0;
  __sea_atomic_begin();
  return wake(condition, any_left());
}
int pthread_cond_broadcast(struct condition *condition) { return wake_all(condition); }

int pthread_cond_wait(struct condition *condition, struct mutex *mutex) {
  int reason = BEGUN_WAIT(condition, mutex, wait_is_unknown);
  if (reason == 0) ended_wait(condition, mutex, is_spurious());
  return reason;
}

int pthread_cond_timedwait(struct condition *condition, struct mutex *mutex,
                           const struct time *limit) {
  if (limit->nanoseconds < 0 || limit->nanoseconds >= 1000000000) return EINVAL;
  int reason = BEGUN_WAIT(condition, mutex, wait_is_unknown);
  if (reason != 0) return reason;
  ended_wait(condition, mutex, 1);
  return is_late() ? ETIMEDOUT : 0;
}

int pthread_cond_clockwait(struct condition *condition, struct mutex *mutex, int clock,
                           const struct time *limit) {
  return pthread_cond_timedwait(condition, mutex, limit);
}

int pthread_condattr_init(int *attributes) {
  *attributes = 0;
  return 0;
}

int pthread_condattr_destroy(int *attributes) { return 0; }

enum { LARGEST = 0x7fffffff };

int sem_init(unsigned *semaphore, int shared, unsigned value) {
  if (value > LARGEST) return failed(EINVAL, -1);
  __sea_atomic_begin();
  *semaphore = value;
  return after(0);
}

int sem_destroy(unsigned *semaphore) { return 0; }

int sem_wait(unsigned *semaphore) {
  __sea_atomic_begin();
  __sea_thread_wait(*semaphore > 0);
  --*semaphore;
  return after(0);
}

static _Bool is_down(unsigned *semaphore) {
  __sea_atomic_begin();
  _Bool goes = *semaphore > 0;
  if (goes) --*semaphore;
  __sea_atomic_end();
  return goes;
}

int sem_trywait(unsigned *semaphore) { return is_down(semaphore) ? 0 : failed(EAGAIN, -1); }

int sem_timedwait(unsigned *semaphore, const struct time *limit) {
  if (is_down(semaphore)) return 0;
  _Bool is_time = limit->nanoseconds >= 0 && limit->nanoseconds < 1000000000;
  return failed(is_time ? ETIMEDOUT : EINVAL, -1);
}

int sem_clockwait(unsigned *semaphore, int clock, const struct time *limit) {
  return sem_timedwait(semaphore, limit);
}

int sem_post(unsigned *semaphore) {
  __sea_atomic_begin();
  _Bool fits = *semaphore < LARGEST;
  if (fits) ++*semaphore;
  __sea_atomic_end();
  return fits ? 0 : failed(EOVERFLOW, -1);
}

int sem_getvalue(unsigned *semaphore, int *value) {
  __sea_atomic_begin();
  int found = (int)*semaphore;
  __sea_atomic_end();
  *value = found;
  return 0;
}
