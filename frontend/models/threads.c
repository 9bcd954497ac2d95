/* Threads, what is done once, and values of their own (POSIX, pthread.h).  A thread is made of a
   primitive; what is kept here is whether it may be joined, and its result. */
#include "threads.h"

UNDEFINED(join_is_unknown, "pthread_join");
UNDEFINED(detach_is_unknown, "pthread_detach");
UNDEFINED(key_is_unknown, "pthread_getspecific");
CLAIM_ROOM(claim_keys, "pthread_key_create");
USES(has_keys, "pthread_key_create.tss_create");
USES(may_detach, "pthread_detach.pthread_attr_setdetachstate.thrd_detach");
USES(sees_results, "pthread_join.thrd_join");
ANY(_Bool, is_noticed, "pthread_join");

enum { NO_THREAD, JOINABLE, DETACHED, JOINED };

static byte states[THREADS];
static void *results[THREADS];

/* Inside of a step. */
static _Bool is_joinable(thread_name thread) {
  if (thread - 2 >= THREADS - 1) return 0;
  return !may_detach() || states[thread - 1] == JOINABLE;
}

/* Attributes: what threads are made like.  Only whether they are detached matters here. */
struct attributes {
  int is_detached, policy, is_explicit, scope;
  size_t stack, guard;
};

enum { LEAST_STACK = 16384, USUAL_STACK = 8 << 20, USUAL_GUARD = 4096 };

int pthread_attr_init(struct attributes *attributes) {
  *attributes = (struct attributes){0, 0, 0, 0, USUAL_STACK, USUAL_GUARD};
  return 0;
}

int pthread_attr_destroy(struct attributes *attributes) { return 0; }

#define ATTRIBUTE(name, type, field, is_valid, reason)                                             \
  int pthread_attr_set##name(struct attributes *attributes, type value) {                          \
    if (!(is_valid)) return reason;                                                                \
    attributes->field = value;                                                                     \
    return 0;                                                                                      \
  }                                                                                                \
  int pthread_attr_get##name(const struct attributes *attributes, type *value) {                   \
    *value = attributes->field;                                                                    \
    return 0;                                                                                      \
  }

ATTRIBUTE(detachstate, int, is_detached, value == 0 || value == 1, EINVAL)
ATTRIBUTE(stacksize, size_t, stack, value >= LEAST_STACK, EINVAL)
ATTRIBUTE(guardsize, size_t, guard, 1, EINVAL)
ATTRIBUTE(scope, int, scope, value == 0, value == 1 ? ENOTSUP : EINVAL)
ATTRIBUTE(inheritsched, int, is_explicit, value == 0 || value == 1, EINVAL)
ATTRIBUTE(schedpolicy, int, policy, value >= 0 && value <= 2, EINVAL)

int make_thread(thread_name *name, const void *attributes, void *(*start)(void *),
                void *argument) {
  __sea_atomic_begin();
  int thread = __sea_thread_create(start, argument, end_thread);
  claim_threads(thread < THREADS);
  *name = (thread_name)thread + 1;
  if (may_detach()) {
    const struct attributes *given = attributes;
    _Bool detached = given != NULL && given->is_detached != 0;
    states[thread & (THREADS - 1)] = detached ? DETACHED : JOINABLE;
  }
  return after(0);
}

/* A thread that waits for itself waits for ever, or is told. */
int join_thread(thread_name thread, void **result) {
  if (thread == (thread_name)own_name() && is_noticed()) return EDEADLK;
  __sea_atomic_begin();
  if (thread != 1 && !is_joinable(thread)) join_is_unknown();
  __sea_thread_wait(__sea_thread_ended((int)(thread - 1)));
  if (may_detach()) states[(thread - 1) & (THREADS - 1)] = JOINED;
  void *found = result != NULL ? results[(thread - 1) & (THREADS - 1)] : NULL;
  __sea_atomic_end();
  if (result != NULL) *result = found;
  return 0;
}

int detach_thread(thread_name thread) {
  __sea_atomic_begin();
  if (!is_joinable(thread)) detach_is_unknown();
  states[(thread - 1) & (THREADS - 1)] = DETACHED;
  return after(0);
}

/* Values of threads.  Destructors run in the order of keys while a value is left, four times at
   most. */
enum { KEYS = 16, ROUNDS = 4 };

static struct {
  _Bool exists;
  void (*destructor)(void *);
} keys[KEYS];
static unsigned keys_made;
static void *values[THREADS][KEYS];

int make_key(unsigned *key, void (*destructor)(void *)) {
  __sea_atomic_begin();
  claim_keys(keys_made < KEYS);
  if (keys_made >= KEYS) return after(EAGAIN);
  keys[keys_made].exists = 1;
  keys[keys_made].destructor = destructor;
  *key = keys_made++;
  return after(0);
}

static void **place(unsigned key) {
  if (key >= KEYS || !keys[key].exists) key_is_unknown();
  int self = __sea_thread_self();
  claim_threads(self < THREADS);
  return &values[self & (THREADS - 1)][key & (KEYS - 1)];
}

int delete_key(unsigned key) {
  __sea_atomic_begin();
  if (key >= KEYS || !keys[key].exists) return after(EINVAL);
  keys[key].exists = 0;
  return after(0);
}

void *value_of_key(unsigned key) {
  __sea_atomic_begin();
  void *value = *place(key);
  __sea_atomic_end();
  return value;
}

int set_key(unsigned key, const void *value) {
  __sea_atomic_begin();
  *place(key) = (void *)value;
  return after(0);
}

/* The destructor and the value of a key where it is to be called; the value goes. */
static void *taken(unsigned key, void (**destructor)(void *)) {
  __sea_atomic_begin();
  void *value = NULL;
  if (keys[key].exists && keys[key].destructor != NULL) {
    void **of = &values[__sea_thread_self() & (THREADS - 1)][key];
    value = *of;
    *of = NULL;
    *destructor = keys[key].destructor;
  }
  __sea_atomic_end();
  return value;
}

static _Bool destroys(void) {
  _Bool some = 0;
  for (unsigned key = 0; key < KEYS; key++) {
    void (*destructor)(void *) = NULL;
    void *value = taken(key, &destructor);
    if (value == NULL) continue;
    destructor(value);
    some = 1;
  }
  return some;
}

/* What a thread does when its function has returned, or in its place. */
void end_thread(void *result) {
  if (has_keys())
    for (int round = 0; round < ROUNDS; round++)
      if (!destroys()) break;
  if (sees_results()) {
    int self = __sea_thread_self();
    claim_threads(self < THREADS);
    __sea_atomic_begin();
    results[self & (THREADS - 1)] = result;
    __sea_atomic_end();
  }
}

enum { NOT_YET, RUNS, DONE };

int run_once(int *control, void (*function)(void)) {
  __sea_atomic_begin();
  __sea_thread_wait(*control != RUNS);
  _Bool runs = *control == NOT_YET;
  if (runs) *control = RUNS;
  __sea_atomic_end();
  if (runs) {
    function();
    __sea_atomic_begin();
    *control = DONE;
    __sea_atomic_end();
  }
  return 0;
}

int pthread_create(thread_name *name, const void *attributes, void *(*start)(void *),
                   void *argument) {
  return make_thread(name, attributes, start, argument);
}

int pthread_join(thread_name thread, void **result) { return join_thread(thread, result); }
int pthread_detach(thread_name thread) { return detach_thread(thread); }
thread_name pthread_self(void) { return (thread_name)own_name(); }
int pthread_equal(thread_name a, thread_name b) { return a == b; }

void pthread_exit(void *result) {
  end_thread(result);
  __sea_thread_exit();
}

void pthread_testcancel(void) {}
int pthread_once(int *control, void (*function)(void)) { return run_once(control, function); }

int pthread_key_create(unsigned *key, void (*destructor)(void *)) {
  return make_key(key, destructor);
}

int pthread_key_delete(unsigned key) { return delete_key(key); }
void *pthread_getspecific(unsigned key) { return value_of_key(key); }
int pthread_setspecific(unsigned key, const void *value) { return set_key(key, value); }
