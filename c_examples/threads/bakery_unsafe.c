// expected: unsafe
// Lamport's bakery for two threads, one round of each.
#include <pthread.h>

extern void reach_error(void);

int choosing[2], number[2], inside;

static void enter(int me) {
  int other = 1 - me;
  choosing[me] = 1;
  int seen = number[other];
  number[me] = seen + 1;
  choosing[me] = 0;
  while (choosing[other]) {
  }
  while (number[other] != 0 && (number[other] < number[me])) {
  }
  inside++;
  if (inside != 1) reach_error();
  inside--;
  number[me] = 0;
}

static void *second(void *given) {
  enter(1);
  return 0;
}

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, second, 0);
  enter(0);
  pthread_join(thread, 0);
  return 0;
}
