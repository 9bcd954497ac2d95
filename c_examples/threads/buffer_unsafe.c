// expected: unsafe
// A buffer with room for one value, whose reader waits once, which may end without a signal.
#include <pthread.h>

extern void reach_error(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int value, is_full;

static void *produces(void *given) {
  pthread_mutex_lock(&mutex);
  value = 42;
  is_full = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&mutex);
  return 0;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, 0, produces, 0);
  pthread_mutex_lock(&mutex);
  if (!is_full) pthread_cond_wait(&changed, &mutex);
  if (value != 42) reach_error();
  pthread_mutex_unlock(&mutex);
  pthread_join(producer, 0);
  return 0;
}
