// expected: safe
// Dekker's algorithm, one round of each thread.
#include <pthread.h>

extern void reach_error(void);

int wants[2], turn, inside;

static void enter(int me) {
  wants[me] = 1;
  while (wants[1 - me]) {
    if (turn != me) {
      wants[me] = 0;
      while (turn != me) {
      }
      wants[me] = 1;
    }
  }
  inside++;
  if (inside != 1) reach_error();
  inside--;
  turn = 1 - me;
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
