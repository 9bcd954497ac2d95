// expected: unsafe
// Peterson's algorithm, without the turn.
#include <pthread.h>

extern void reach_error(void);

int wants[2], inside;

static void enter(int me) {
  while (wants[1 - me]) {
  }
  wants[me] = 1;
  inside++;
  if (inside != 1) reach_error();
  inside--;
  wants[me] = 0;
}

static void *other(void *given) {
  enter(1);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  enter(0);
  pthread_join(thread, 0);
  return 0;
}
