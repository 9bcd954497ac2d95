// expected: safe
// Double-checked locking.
#include <pthread.h>
#include <stdatomic.h>

extern void reach_error(void);

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int is_made;
int value, made;

static int get(void) {
  if (!atomic_load(&is_made)) {
    pthread_mutex_lock(&mutex);
    if (!atomic_load(&is_made)) {
      value = 42;
      made++;
      atomic_store(&is_made, 1);
    }
    pthread_mutex_unlock(&mutex);
  }
  return value;
}

static void *gets(void *given) {
  if (get() != 42) reach_error();
  return 0;
}

int main(void) {
  pthread_t one;
  pthread_create(&one, 0, gets, 0);
  gets(0);
  pthread_join(one, 0);
  if (made != 1) reach_error();
  return 0;
}
