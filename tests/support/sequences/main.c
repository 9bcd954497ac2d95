/* A program that performs sequences of calls, whose cases are put in where `CASES` is. */
#include "driver.h"

static void perform(unsigned long which, long a, long b, long c, long d) {
  switch (which) {
    CASES
  }
}

static void begin(void) {
  for (int i = 0; i < MEMORY; i += 8) {
    unsigned long word = sequence_word();
    for (int k = 0; k < 8; k++) memory[i + k] = (char)(word >> 8 * k);
  }
  streams[0] = stdin;
  streams[1] = stdout;
  errno = 0;
}

void sequence(void) {
  begin();
  unsigned long count = sequence_word();
  for (unsigned long i = 0; i < count; i++) {
    unsigned long which = sequence_word();
    long a = (long)sequence_word(), b = (long)sequence_word();
    long c = (long)sequence_word(), d = (long)sequence_word();
    sequence_call(which);
    perform(which, a, b, c, d);
    show(errno);
    show_bytes(memory, MEMORY);
  }
}

#ifndef REAL
/* As declarations when the program is linked: `search.c` has the meaning. */
static volatile unsigned long sink;
void sequence_show(unsigned long x) { sink = x; }
void sequence_call(unsigned long which) { sink = which; }
void sequence_end(void) { sink = 0; }

int main(void) {
  sequence();
  sequence_end();
}
#endif
