/* POSIX input and output, time and `errno`: the environment is arbitrary. */
#include "model.h"

ANY(_Bool, readable, "read");
ANY(_Bool, all_read, "read");
ANY(size_t, any_read, "read");
ANY(byte, why_unread, "read");
ANY_BYTES(any_bytes, "read");
ANY(_Bool, writable, "write");
ANY(_Bool, all_written, "write");
ANY(size_t, any_written, "write");
ANY(byte, why_unwritten, "write");
ANY(_Bool, is_opened, "open");
ANY(byte, why_unopened, "open");
ANY(unsigned, any_descriptor, "open");
ANY(_Bool, is_closed, "close");
ANY(byte, why_unclosed, "close");
ANY(_Bool, stays_open, "close");
ANY(_Bool, is_unlinked, "unlink");
ANY(_Bool, is_terminal, "isatty");
ANY(_Bool, succeeds, "call");
ANY(byte, any_reason, "call");
ANY(unsigned long long, any_result, "call");
ANY(_Bool, sleeps, "sleep");
ANY(unsigned, any_rest, "sleep");
ANY(_Bool, has_clock, "time");
ANY(unsigned long, any_time, "time");
ANY(unsigned long, any_clock, "clock");
ANY(unsigned, any_process, "getpid");
ANY_BYTES(any_zone, "gettimeofday");
ANY(_Bool, forks, "fork");
ANY(_Bool, is_child, "fork");
ANY(_Bool, stays, "execve");
ANY(int, any_status, "wait");
UNKNOWN(content_is_unknown, "read");
UNKNOWN(status_is_unknown, "wait");
UNKNOWN(threads_are_unknown, "fork");
USES(has_pipes, "pipe.pipe2.socketpair");
USES(has_threads, "pthread_create.thrd_create");

static int error;

int *__errno_location(void) { return &error; }

static int read_error(void) {
  byte k = why_unread();
  if (k < 8) return one_of_8(k, EBADF, EINTR, EAGAIN, EIO, EISDIR, EINVAL, EFAULT, ENXIO);
  if (k < 12) return one_of_4((byte)(k - 8), ECONNRESET, ENOTCONN, ETIMEDOUT, ENOBUFS);
  return k == 12 ? ENOMEM : EOVERFLOW;
}

static int write_error(void) {
  byte k = why_unwritten();
  if (k < 8) return one_of_8(k, EBADF, EINTR, EAGAIN, EIO, ENOSPC, EFBIG, EPIPE, EINVAL);
  if (k < 16)
    return one_of_8((byte)(k - 8), EDQUOT, EFAULT, ENXIO, ECONNRESET, ENOBUFS, EDESTADDRREQ, EPERM, EACCES);
  return EIO;
}

static int path_error(void) {
  byte k = why_unopened();
  if (k < 8) return one_of_8(k, ENOENT, EACCES, EISDIR, ENOTDIR, EINTR, EMFILE, ENFILE, EEXIST);
  if (k < 16)
    return one_of_8((byte)(k - 8), ENOSPC, EROFS, ENXIO, ETXTBSY, ELOOP, ENAMETOOLONG, EOVERFLOW, EINVAL);
  return one_of_8((byte)(k - 16), EBUSY, EPERM, EIO, ENODEV, EDQUOT, EAGAIN, EFBIG, ENOMEM);
}

/* What comes from the program itself, through a pipe, is not known. */
ssize_t read(int descriptor, void *block, size_t size) {
  if (has_pipes()) content_is_unknown();
  if (is_bad_descriptor(descriptor)) return failed(EBADF, -1);
  if (!readable() || (ssize_t)size < 0) return failed(read_error(), -1);
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
  if (is_bad_descriptor(descriptor)) return failed(EBADF, -1);
  if (!writable() || (ssize_t)size < 0) return failed(write_error(), -1);
  if (all_written()) return (ssize_t)size;
  size_t written = any_written();
  __VERIFIER_assume(written < size);
  return (ssize_t)written;
}

static int opened(const char *name) {
  claim_text(name);
  return is_opened() ? taken_descriptor((int)(any_descriptor() >> 1)) : failed(path_error(), -1);
}

int open(const char *name, int flags, ...) { return opened(name); }
int open64(const char *name, int flags, ...) { return opened(name); }
int creat(const char *name, unsigned mode) { return opened(name); }

/* Whether a descriptor stays open that could not be closed is unspecified (POSIX). */
int close(int descriptor) {
  if (is_bad_descriptor(descriptor)) return failed(EBADF, -1);
  _Bool is_good = is_good_descriptor(descriptor);
  if (is_closed()) {
    descriptor_is_closed(descriptor);
    return 0;
  }
  byte k = why_unclosed();
  int reason = k < 4 ? one_of_4(k, EBADF, EINTR, EIO, ENOSPC) : EDQUOT;
  if (is_good && reason == EBADF) reason = EIO;
  if (reason == EBADF || !stays_open()) descriptor_is_closed(descriptor);
  return failed(reason, -1);
}

int unlink(const char *name) {
  claim_text(name);
  return is_unlinked() ? 0 : failed(path_error(), -1);
}

int isatty(int descriptor) {
  return is_terminal() ? 1 : failed(descriptor < 0 || is_closed() ? EBADF : ENOTTY, 0);
}

/* Functions that give 0, or -1 and a reason. */
#define ZERO_OR_REASON(name, parameters, a, b, c, d)                                               \
  int name parameters { return succeeds() ? 0 : failed(one_of_4(any_reason(), a, b, c, d), -1); }

ZERO_OR_REASON(fsync, (int descriptor), EBADF, EINTR, EIO, EINVAL)
ZERO_OR_REASON(fdatasync, (int descriptor), EBADF, EINTR, EIO, EINVAL)
ZERO_OR_REASON(ftruncate, (int descriptor, long size), EBADF, EINTR, EIO, EINVAL)
ZERO_OR_REASON(fchmod, (int descriptor, unsigned mode), EBADF, EPERM, EROFS, EINVAL)
ZERO_OR_REASON(fchown, (int descriptor, unsigned user, unsigned group), EBADF, EPERM, EROFS, EIO)
ZERO_OR_REASON(fchdir, (int descriptor), EBADF, EACCES, ENOTDIR, EINTR)
ZERO_OR_REASON(setuid, (unsigned user), EPERM, EINVAL, EAGAIN, EAGAIN)
ZERO_OR_REASON(seteuid, (unsigned user), EPERM, EINVAL, EINVAL, EINVAL)
ZERO_OR_REASON(setgid, (unsigned group), EPERM, EINVAL, EINVAL, EINVAL)
ZERO_OR_REASON(setegid, (unsigned group), EPERM, EINVAL, EINVAL, EINVAL)
ZERO_OR_REASON(setpgid, (int process, int group), EPERM, EINVAL, EACCES, ESRCH)

/* Functions that give a number that is not negative, or -1 and a reason. */
#define NUMBER_OR_REASON(type, name, parameters, a, b, c, d)                                       \
  type name parameters {                                                                           \
    return succeeds() ? (type)((unsigned type)any_result() >> 1) : failed(one_of_4(any_reason(), a, b, c, d), -1); \
  }

NUMBER_OR_REASON(int, getpgid, (int process), EPERM, ESRCH, EINVAL, ESRCH)
NUMBER_OR_REASON(int, getsid, (int process), EPERM, ESRCH, EPERM, ESRCH)
NUMBER_OR_REASON(int, setsid, (void), EPERM, EPERM, EPERM, EPERM)

long lseek(int descriptor, long offset, int whence) {
  if (succeeds()) return (long)((unsigned long)any_result() >> 1);
  byte k = any_reason();
  return failed(k < 4 ? one_of_4(k, EBADF, EINVAL, EOVERFLOW, ESPIPE) : ENXIO, -1);
}

int dup(int descriptor) {
  if (is_bad_descriptor(descriptor)) return failed(EBADF, -1);
  if (succeeds()) return taken_descriptor((int)((unsigned)any_result() >> 1));
  if (is_good_descriptor(descriptor)) return failed(any_reason() == 0 ? EINTR : EMFILE, -1);
  return failed(one_of_4(any_reason(), EBADF, EMFILE, EINTR, EBADF), -1);
}

int dup2(int old, int new) {
  if (is_bad_descriptor(old) || new < 0) return failed(EBADF, -1);
  if (!succeeds()) return failed(one_of_4(any_reason(), EBADF, EBUSY, EINTR, EMFILE), -1);
  descriptor_is_open(old);
  descriptor_is_open(new);
  return new;
}

int sched_yield(void) { return 0; }

int pause(void) { return failed(EINTR, -1); }

/* -1 without a change of errno means that there is no limit (POSIX). */
long sysconf(int name) {
  if (succeeds()) return (long)(any_result() >> 33) - 1;
  return failed(EINVAL, -1);
}

int usleep(unsigned microseconds) { return sleeps() ? 0 : failed(EINTR, -1); }

/* The seconds that are left, if a signal ends the sleep. */
unsigned sleep(unsigned seconds) {
  if (sleeps()) return 0;
  unsigned rest = any_rest();
  return rest < seconds ? rest : seconds;
}

static int process;

static int any_number(void) { return 1 + (int)(any_process() >> 2); }

/* An arbitrary number, which is the same at each call in one process. */
int getpid(void) {
  if (process == 0) process = any_number();
  return process;
}

/* A run is that of one process: behind a call it may be the parent or the child. */
int fork(void) {
  if (has_threads()) threads_are_unknown();
  if (!forks()) return failed(any_reason() == 0 ? EAGAIN : ENOMEM, -1);
  int own = getpid(), other = any_number();
  __VERIFIER_assume(own != other);
  if (!is_child()) return other;
  process = other;
  return 0;
}

/* How a child ended is not known. */
static int waited(int child, int *status, int options) {
  if (!succeeds()) return failed(one_of_4(any_reason(), ECHILD, EINTR, EINVAL, ECHILD), -1);
  if ((options & 1) && is_child()) return 0;
  if (status != NULL) {
    status_is_unknown();
    *status = any_status();
  }
  return child > 0 ? child : any_number();
}

int wait(int *status) { return waited(-1, status, 0); }
int waitpid(int child, int *status, int options) { return waited(child, status, options); }

/* The run ends where another program takes the place of this one. */
static int executed(const char *path, char *const *arguments) {
  claim_text(path);
  for (; *arguments != NULL; arguments++) claim_text(*arguments);
  __VERIFIER_assume(stays());
  byte k = any_reason();
  if (k < 8) return failed(one_of_8(k, ENOENT, EACCES, E2BIG, ENOEXEC, ENOMEM, ENOTDIR, ELOOP, ENAMETOOLONG), -1);
  return failed(one_of_4((byte)(k - 8), EIO, EPERM, ETXTBSY, EINVAL), -1);
}

int execv(const char *path, char *const *arguments) { return executed(path, arguments); }
int execvp(const char *path, char *const *arguments) { return executed(path, arguments); }

int execve(const char *path, char *const *arguments, char *const *environment) {
  if (environment != NULL)
    for (char *const *at = environment; *at != NULL; at++) claim_text(*at);
  return executed(path, arguments);
}

long time(long *result) {
  long now = has_clock() ? (long)(any_time() >> 1) : failed(EOVERFLOW, -1);
  if (result != NULL) *result = now;
  return now;
}

/* The processor time never decreases. */
long clock(void) {
  static unsigned long used;
  if (!has_clock()) return -1;
  unsigned long now = any_clock() >> 1;
  if (now > used) used = now;
  return (long)used;
}

/* The difference is rounded once. */
double difftime(long end, long start) {
  if (end < start) return -(double)((unsigned long)start - (unsigned long)end);
  return (double)((unsigned long)end - (unsigned long)start);
}

struct timeval {
  long tv_sec, tv_usec;
};

int gettimeofday(struct timeval *result, void *zone) {
  result->tv_sec = (long)(any_time() >> 1);
  result->tv_usec = (long)(any_clock() % 1000000);
  if (zone != NULL) any_zone(zone, 2 * sizeof(int));
  return 0;
}
