// expected: safe
// Szymanski's algorithm for two threads, one round of each.
#include <pthread.h>

extern void reach_error(void);

int flag[2], inside;

static void enter(int me) {
  flag[me] = 1;
  while (flag[1 - me] >= 3) {
  }
  flag[me] = 3;
  if (flag[1 - me] == 1) {
    flag[me] = 2;
    while (flag[1 - me] != 4) {
    }
  }
  flag[me] = 4;
  while (me == 1 && flag[0] >= 2) {
  }
  inside++;
  if (inside != 1) reach_error();
  inside--;
  while (me == 0 && (flag[1] == 2 || flag[1] == 3)) {
  }
  flag[me] = 0;
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
