// expected: unsafe
// A writer that holds the lock of readers.
#include <pthread.h>

extern void reach_error(void);

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int one, two;

static void *writes(void *given) {
  pthread_rwlock_rdlock(&lock);
  one++;
  two++;
  pthread_rwlock_unlock(&lock);
  return 0;
}

static void *reads(void *given) {
  pthread_rwlock_rdlock(&lock);
  if (one != two) reach_error();
  pthread_rwlock_unlock(&lock);
  return 0;
}

int main(void) {
  pthread_t writer, reader;
  pthread_create(&writer, 0, writes, 0);
  pthread_create(&reader, 0, reads, 0);
  reads(0);
  pthread_join(writer, 0);
  pthread_join(reader, 0);
  return 0;
}
