// expected: safe
// A ticket lock.
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

atomic_uint next, serving;
int inside;

static void *enters(void *given) {
  unsigned mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine) {
  }
  inside++;
  if (inside != 1) reach_error();
  inside--;
  atomic_fetch_add(&serving, 1);
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, enters, 0);
  pthread_create(&two, 0, enters, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
