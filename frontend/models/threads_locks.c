/* Mutexes, locks of readers and writers, spin locks and barriers (POSIX, pthread.h).  A thread that
   locks a normal mutex again waits for ever.  What POSIX leaves undefined is unknown: the release of
   a lock that its thread does not hold, the end of one that is held. */
#include "threads.h"

UNDEFINED(unlock_is_unknown, "pthread_mutex_unlock");
UNDEFINED(destroy_is_unknown, "pthread_mutex_destroy");
UNDEFINED(release_is_unknown, "pthread_rwlock_unlock");
UNDEFINED(end_is_unknown, "pthread_rwlock_destroy");
UNDEFINED(spin_unlock_is_unknown, "pthread_spin_unlock");
UNDEFINED(barrier_is_unknown, "pthread_barrier_destroy");

struct time { long seconds, nanoseconds; };
enum { KIND = 0xf, SHARED = 1 << 30 };

static _Bool is_time(const struct time *limit) {
  return limit->nanoseconds >= 0 && limit->nanoseconds < 1000000000;
}

int pthread_mutex_init(struct mutex *mutex, const int *attributes) {
  int kind = attributes != NULL ? *attributes & KIND : NORMAL;
  __sea_atomic_begin();
  mutex->holder = 0;
  mutex->repeats = 0;
  mutex->kind = kind;
  return after(0);
}

int pthread_mutex_destroy(struct mutex *mutex) {
  __sea_atomic_begin();
  if (mutex->holder != 0) destroy_is_unknown();
  return after(0);
}

int pthread_mutex_lock(struct mutex *mutex) { return lock(mutex); }
int pthread_mutex_trylock(struct mutex *mutex) { return try_lock(mutex, EBUSY); }

int pthread_mutex_unlock(struct mutex *mutex) {
  __sea_atomic_begin();
  if (is_foreign(mutex)) unlock_is_unknown();
  return after(released(mutex));
}

int pthread_mutex_timedlock(struct mutex *mutex, const struct time *limit) {
  int result = try_lock(mutex, ETIMEDOUT);
  return result == ETIMEDOUT && !is_time(limit) ? EINVAL : result;
}

int pthread_mutex_clocklock(struct mutex *mutex, int clock, const struct time *limit) {
  return pthread_mutex_timedlock(mutex, limit);
}

int pthread_mutexattr_init(int *attributes) {
  *attributes = NORMAL;
  return 0;
}

int pthread_mutexattr_destroy(int *attributes) { return 0; }

int pthread_mutexattr_settype(int *attributes, int kind) {
  if (kind < 0 || kind >= KINDS) return EINVAL;
  *attributes = (*attributes & ~KIND) | kind;
  return 0;
}

int pthread_mutexattr_gettype(const int *attributes, int *kind) {
  *kind = *attributes & KIND;
  return 0;
}

int pthread_mutexattr_setpshared(int *attributes, int shared) {
  if (shared != 0 && shared != 1) return EINVAL;
  *attributes = (*attributes & ~SHARED) | (shared ? SHARED : 0);
  return 0;
}

int pthread_mutexattr_getpshared(const int *attributes, int *shared) {
  *shared = (*attributes & SHARED) != 0;
  return 0;
}

/* Readers come in while no writer holds the lock, as in glibc unless its writers go first. */
struct rwlock {
  unsigned readers;
  int writer;
};

int pthread_rwlock_init(struct rwlock *lock, const void *attributes) {
  __sea_atomic_begin();
  lock->readers = 0;
  lock->writer = 0;
  return after(0);
}

int pthread_rwlock_destroy(struct rwlock *lock) {
  __sea_atomic_begin();
  if (lock->readers != 0 || lock->writer != 0) end_is_unknown();
  return after(0);
}

/* A thread that holds the lock for writing is told so, as in glibc. */
static _Bool is_own_or_free(const struct rwlock *lock) {
  return (lock->writer == 0) | (lock->writer == own_name());
}

int pthread_rwlock_rdlock(struct rwlock *lock) {
  __sea_atomic_begin();
  __sea_thread_wait(is_own_or_free(lock));
  if (lock->writer != 0) return after(EDEADLK);
  lock->readers++;
  return after(0);
}

int pthread_rwlock_wrlock(struct rwlock *lock) {
  __sea_atomic_begin();
  __sea_thread_wait(is_own_or_free(lock) & ((lock->writer != 0) | (lock->readers == 0)));
  if (lock->writer != 0) return after(EDEADLK);
  lock->writer = own_name();
  return after(0);
}

static int try_read(struct rwlock *lock, int busy) {
  __sea_atomic_begin();
  if (lock->writer != 0) return after(busy);
  lock->readers++;
  return after(0);
}

static int try_write(struct rwlock *lock, int busy) {
  __sea_atomic_begin();
  if ((lock->writer != 0) | (lock->readers != 0)) return after(busy);
  lock->writer = own_name();
  return after(0);
}

int pthread_rwlock_tryrdlock(struct rwlock *lock) { return try_read(lock, EBUSY); }
int pthread_rwlock_trywrlock(struct rwlock *lock) { return try_write(lock, EBUSY); }

int pthread_rwlock_timedrdlock(struct rwlock *lock, const struct time *limit) {
  int result = try_read(lock, ETIMEDOUT);
  return result != 0 && !is_time(limit) ? EINVAL : result;
}

int pthread_rwlock_timedwrlock(struct rwlock *lock, const struct time *limit) {
  int result = try_write(lock, ETIMEDOUT);
  return result != 0 && !is_time(limit) ? EINVAL : result;
}

int pthread_rwlock_unlock(struct rwlock *lock) {
  __sea_atomic_begin();
  _Bool is_writer = lock->writer == own_name();
  if (!is_writer & ((lock->writer != 0) | (lock->readers == 0))) release_is_unknown();
  lock->writer = 0;
  lock->readers -= !is_writer;
  return after(0);
}

int pthread_rwlockattr_init(void *attributes) { return 0; }
int pthread_rwlockattr_destroy(void *attributes) { return 0; }

int pthread_spin_init(volatile int *lock, int shared) {
  __sea_atomic_begin();
  *lock = 0;
  return after(0);
}

int pthread_spin_destroy(volatile int *lock) { return 0; }

int pthread_spin_lock(volatile int *lock) {
  __sea_atomic_begin();
  __sea_thread_wait(*lock == 0);
  *lock = own_name();
  return after(0);
}

int pthread_spin_trylock(volatile int *lock) {
  __sea_atomic_begin();
  if (*lock != 0) return after(EBUSY);
  *lock = own_name();
  return after(0);
}

int pthread_spin_unlock(volatile int *lock) {
  __sea_atomic_begin();
  if (*lock != own_name()) spin_unlock_is_unknown();
  *lock = 0;
  return after(0);
}

/* The last thread that comes is the one that is told so. */
struct barrier {
  unsigned needed, came;
  set waiting;
};

enum { SERIAL = -1 };

int pthread_barrier_init(struct barrier *barrier, const void *attributes, unsigned needed) {
  if (needed == 0) return EINVAL;
  __sea_atomic_begin();
  barrier->needed = needed;
  barrier->came = 0;
  barrier->waiting = 0;
  return after(0);
}

int pthread_barrier_destroy(struct barrier *barrier) {
  __sea_atomic_begin();
  if (barrier->came != 0) barrier_is_unknown();
  return after(0);
}

int pthread_barrier_wait(struct barrier *barrier) {
  set self = own_bit();
  __sea_atomic_begin();
  if (barrier->came + 1 == barrier->needed) {
    barrier->came = 0;
    barrier->waiting = 0;
    return after(SERIAL);
  }
  barrier->came++;
  barrier->waiting |= self;
  __sea_atomic_end();
  __sea_atomic_begin();
  __sea_thread_wait((barrier->waiting & self) == 0);
  return after(0);
}

int pthread_barrierattr_init(int *attributes) {
  *attributes = 0;
  return 0;
}

int pthread_barrierattr_destroy(int *attributes) { return 0; }
