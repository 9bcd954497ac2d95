// expected: unsafe
// Two threads may both see that no reference is left.
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

atomic_int references = 2, has_ended;

static void release(void) {
  atomic_fetch_sub(&references, 1);
  if (atomic_load(&references) == 0) {
    if (atomic_exchange(&has_ended, 1)) reach_error();
  }
}

static void *uses(void *given) {
  if (atomic_load(&has_ended)) reach_error();
  release();
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, uses, 0);
  uses(0);
  pthread_join(thread, 0);
  if (!atomic_load(&has_ended)) reach_error();
  return 0;
}
