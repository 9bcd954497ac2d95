// expected: safe
// A buffer of two values that is filled and emptied three times, with two condition variables.
#include <pthread.h>

extern void reach_error(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
int buffer[2], first, count;

static void put(int value) {
  pthread_mutex_lock(&mutex);
  while (count == 2) pthread_cond_wait(&not_full, &mutex);
  buffer[(first + count) % 2] = value;
  count++;
  pthread_cond_signal(&not_empty);
  pthread_mutex_unlock(&mutex);
}

static int take(void) {
  pthread_mutex_lock(&mutex);
  while (count == 0) pthread_cond_wait(&not_empty, &mutex);
  int value = buffer[first];
  first = (first + 1) % 2;
  count--;
  pthread_cond_signal(&not_full);
  pthread_mutex_unlock(&mutex);
  return value;
}

static void *produces(void *given) {
  for (int k = 1; k <= 6; k++) put(k);
  return 0;
}

int main(void) {
  pthread_t producer;
  pthread_create(&producer, 0, produces, 0);
  for (int k = 1; k <= 6; k++)
    if (take() != k) reach_error();
  pthread_join(producer, 0);
  return 0;
}
