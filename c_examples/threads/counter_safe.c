// expected: safe
// Two threads count under a mutex.
#include <pthread.h>

extern void reach_error(void);

int count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *counts(void *given) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
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
