/* Threads of C (C17, 7.26) as glibc has them: on objects and threads of POSIX. */
#include "threads.h"

UNDEFINED(unlock_is_unknown, "mtx_unlock");
UNDEFINED(wait_is_unknown, "cnd_wait");
ANY(_Bool, is_spurious, "cnd_wait");
ANY(_Bool, is_late, "cnd_timedwait");
ANY(_Bool, is_refused, "mtx_trylock");
ANY(set, any_left, "cnd_signal");

enum { SUCCESS, BUSY, ERROR, NO_MEMORY, TIMED_OUT };
enum { PLAIN, RECURSIVE_BIT, TIMED };

struct time { long seconds, nanoseconds; };

int thrd_create(thread_name *name, int (*start)(void *), void *argument) {
  return make_thread(name, NULL, (void *(*)(void *))start, argument);
}

int thrd_join(thread_name thread, int *result) {
  void *found;
  if (join_thread(thread, &found) != 0) return ERROR;
  if (result != NULL) *result = (int)(long)found;
  return SUCCESS;
}

int thrd_detach(thread_name thread) { return detach_thread(thread); }
int thrd_equal(thread_name a, thread_name b) { return a == b; }
thread_name thrd_current(void) { return (thread_name)own_name(); }
void thrd_yield(void) {}

void thrd_exit(int result) {
  end_thread((void *)(long)result);
  __sea_thread_exit();
}

int mtx_init(struct mutex *mutex, int type) {
  if (type < PLAIN || type > (RECURSIVE_BIT | TIMED)) return ERROR;
  __sea_atomic_begin();
  mutex->holder = 0;
  mutex->repeats = 0;
  mutex->kind = type & RECURSIVE_BIT ? RECURSIVE : NORMAL;
  return after(SUCCESS);
}

void mtx_destroy(struct mutex *mutex) {}
int mtx_lock(struct mutex *mutex) { return lock(mutex) == 0 ? SUCCESS : ERROR; }

static int told(int result) {
  if (result == 0) return SUCCESS;
  return result == EBUSY ? BUSY : result == ETIMEDOUT ? TIMED_OUT : ERROR;
}

/* It may fail where the mutex is free. */
int mtx_trylock(struct mutex *mutex) {
  return is_refused() ? BUSY : told(try_lock(mutex, EBUSY));
}

int mtx_timedlock(struct mutex *mutex, const struct time *limit) {
  return told(try_lock(mutex, ETIMEDOUT));
}

int mtx_unlock(struct mutex *mutex) {
  __sea_atomic_begin();
  if (is_foreign(mutex)) unlock_is_unknown();
  return told(after(released(mutex)));
}

int cnd_init(struct condition *condition) {
  __sea_atomic_begin();
  condition->waiting = 0;
  return after(SUCCESS);
}

void cnd_destroy(struct condition *condition) {}
int cnd_signal(struct condition *condition) {
  claim_writable(condition, sizeof *condition);
  if (!counts_waits()) return 0;
  __sea_atomic_begin();
  return wake(condition, any_left());
}
int cnd_broadcast(struct condition *condition) { return wake_all(condition); }

int cnd_wait(struct condition *condition, struct mutex *mutex) {
  if (BEGUN_WAIT(condition, mutex, wait_is_unknown) != 0) return ERROR;
  ended_wait(condition, mutex, is_spurious());
  return SUCCESS;
}

int cnd_timedwait(struct condition *condition, struct mutex *mutex, const struct time *limit) {
  if (BEGUN_WAIT(condition, mutex, wait_is_unknown) != 0) return ERROR;
  ended_wait(condition, mutex, 1);
  return is_late() ? TIMED_OUT : SUCCESS;
}

void call_once(int *flag, void (*function)(void)) { run_once(flag, function); }

int tss_create(unsigned *key, void (*destructor)(void *)) {
  return make_key(key, destructor) == 0 ? SUCCESS : ERROR;
}

void tss_delete(unsigned key) { delete_key(key); }
void *tss_get(unsigned key) { return value_of_key(key); }
int tss_set(unsigned key, void *value) { return set_key(key, value); }
