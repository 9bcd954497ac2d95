/* POSIX input and output, time, locale and `errno`: the environment is arbitrary. */
#include "model.h"

ANY(_Bool, readable, "read");
ANY(_Bool, all_read, "read");
ANY(size_t, any_read, "read");
ANY_BYTES(any_bytes, "read");
ANY(_Bool, writable, "write");
ANY(_Bool, all_written, "write");
ANY(size_t, any_written, "write");
ANY(_Bool, any_success, "open");
ANY(unsigned, any_descriptor, "open");
ANY(_Bool, has_clock, "time");
ANY(unsigned long, any_time, "time");
ANY(unsigned long, any_clock, "clock");
ANY(unsigned, any_process, "getpid");
ANY(_Bool, any_locale, "setlocale");
ANY_BYTES(any_zone, "gettimeofday");

static int error;

int *__errno_location(void) { return &error; }

ssize_t read(int descriptor, void *block, size_t size) {
  if (!readable() || (ssize_t)size < 0) return -1;
  size_t got = size;
  if (!all_read()) {
    got = any_read();
    __VERIFIER_assume(got < size);
  }
  if (got > 0) any_bytes(block, got);
  return (ssize_t)got;
}

ssize_t write(int descriptor, const void *block, size_t size) {
  if (size > 0) claim_readable(block, size);
  if (!writable() || (ssize_t)size < 0) return -1;
  if (all_written()) return (ssize_t)size;
  size_t written = any_written();
  __VERIFIER_assume(written < size);
  return (ssize_t)written;
}

int open(const char *name, int flags, ...) {
  claim_text(name);
  return any_success() ? (int)(any_descriptor() >> 1) : -1;
}

int close(int descriptor) { return any_success() ? 0 : -1; }

int unlink(const char *name) {
  claim_text(name);
  return any_success() ? 0 : -1;
}

int usleep(unsigned microseconds) { return any_success() ? 0 : -1; }
int isatty(int descriptor) { return any_success(); }

unsigned sleep(unsigned seconds) { return any_success() ? 0 : seconds; }

int getpid(void) { return 1 + (int)(any_process() >> 2); }

long time(long *result) {
  long now = has_clock() ? (long)(any_time() >> 1) : -1;
  if (result != NULL) *result = now;
  return now;
}

long clock(void) { return has_clock() ? (long)(any_clock() >> 1) : -1; }

double difftime(long end, long start) { return (double)end - (double)start; }

struct timeval {
  long tv_sec, tv_usec;
};

int gettimeofday(struct timeval *result, void *zone) {
  result->tv_sec = (long)(any_time() >> 1);
  result->tv_usec = (long)(any_clock() % 1000000);
  if (zone != NULL) any_zone(zone, 2 * sizeof(int));
  return 0;
}

static char locale[] = "C";

char *setlocale(int category, const char *wanted) {
  if (wanted != NULL) claim_text(wanted);
  return wanted == NULL || any_locale() ? locale : NULL;
}
