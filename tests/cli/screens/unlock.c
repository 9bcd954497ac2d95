// sea-py pf: the early return leaves the lock taken
#include <assert.h>
#include <stdio.h>

static int locked;

static void lock(void) {
  assert(!locked);
  locked = 1;
}

static void unlock(void) {
  assert(locked);
  locked = 0;
}

static int balance;

static int withdraw(int amount) {
  lock();
  if (amount > balance)
    return -1;
  balance -= amount;
  unlock();
  return 0;
}

int main(void) {
  balance = 10;
  int c;
  while ((c = getchar()) != EOF) {
    if (c >= '0' && c <= '9')
      withdraw(c - '0');
  }
  return 0;
}
