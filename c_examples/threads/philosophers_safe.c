// expected: safe
// Three philosophers that take forks in one order.
// property: no-deadlock
#include <pthread.h>

pthread_mutex_t fork[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                           PTHREAD_MUTEX_INITIALIZER};

static void eat(int first, int second) {
  pthread_mutex_lock(&fork[first]);
  pthread_mutex_lock(&fork[second]);
  pthread_mutex_unlock(&fork[second]);
  pthread_mutex_unlock(&fork[first]);
}

static void *one(void *given) {
  eat(0, 1);
  return 0;
}

static void *two(void *given) {
  eat(1, 2);
  return 0;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], 0, one, 0);
  pthread_create(&threads[1], 0, two, 0);
  eat(0, 2);
  for (int k = 0; k < 2; k++) pthread_join(threads[k], 0);
  return 0;
}
