// expected: unsafe
// A counter without locks that writes what it read before.
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

atomic_int count;

static void *counts(void *given) {
  int seen = atomic_load(&count);
  atomic_store(&count, seen + 1);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, counts, 0);
  pthread_create(&two, 0, counts, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (atomic_load(&count) != 2) reach_error();
  return 0;
}
