// expected: unsafe
// Two threads count without a mutex.
#include <pthread.h>

extern void reach_error(void);

int count;

static void *counts(void *given) {
  count++;
  return 0;
}

int main(void) {
  pthread_t one, two;
  pthread_create(&one, 0, counts, 0);
  pthread_create(&two, 0, counts, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  if (count != 2) reach_error();
  return 0;
}
