/* Entry and server: lower the limits, then fork a child for each run, which calls `sea.main`.
   No code of the program under analysis runs before the limits hold; in the child, seccomp's
   strict mode leaves only read, write (to /dev/null) and exit. */

#include "runtime.h"

enum {
  PAGE = 4096,
  PROT_READ_WRITE = 3,
  MAP_SHARED = 1,
  MAP_PRIVATE = 2,
  PR_SET_PDEATHSIG = 1,
  PR_SET_SECCOMP = 22,
  SECCOMP_STRICT = 1,
  SIGKILL = 9,
  SIGPROF = 27,
  ITIMER_PROF = 2,
  CLOCK_MONOTONIC = 1,
  RLIMIT_CPU = 0,
  RLIMIT_FSIZE = 1,
  RLIMIT_STACK = 3,
  RLIMIT_CORE = 4,
  RLIMIT_AS = 9,
  STACK = 64 << 20
};

struct request *the_request;
struct response *the_response;

#ifdef __x86_64__
__asm__(".globl sea.start\nsea.start:\n\txorl %ebp, %ebp\n\tandq $-16, %rsp\n\tcall sea.begin\n");
#else
__asm__(".globl sea.start\nsea.start:\n\txorl %ebp, %ebp\n\tandl $-16, %esp\n\tcall sea.begin\n");
#endif

static u64 now(void) {
  struct {
    word seconds, nanoseconds;
  } time;
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (word)&time, 0, 0);
  return time.seconds * 1000000000ull + time.nanoseconds;
}

static void limit(word kind, u64 bound) {
  u64 pair[2] = {bound, bound};
  system_call(SYS_prlimit64, 0, kind, (word)pair, 0);
}

static void map_shared_file(void) {
  struct request *head = map(PAGE, PROT_READ_WRITE, MAP_PRIVATE, SHARED_FILE, 0);
  if (is_error(head)) leave(1);
  the_request = map(head->size, PROT_READ_WRITE, MAP_PRIVATE, SHARED_FILE, 0);
  the_response = map(head->response_size, PROT_READ_WRITE, MAP_SHARED, SHARED_FILE, head->size);
  if (is_error(the_request) || is_error(the_response)) leave(1);
}

static void lower_limits(void) {
  const struct request *request = the_request;
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
  system_call(SYS_chdir, (word) "/", 0, 0, 0);
  system_call(SYS_close_range, SHARED_FILE, ~0u, 0, 0);
  system_call(SYS_close, SHARED_FILE, 0, 0, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_STACK, STACK);
  limit(RLIMIT_AS, request->memory + request->size + request->response_size);
  limit(RLIMIT_CPU, (request->nanoseconds >> 29) + (request->run_microseconds >> 19) + 2);
}

static __attribute__((noreturn)) void run(u64 number, u64 first_read, u64 microseconds) {
  word timer[4] = {0, 0, (u32)microseconds / 1000000u, (u32)microseconds % 1000000u};
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
  system_call(SYS_setitimer, ITIMER_PROF, (word)timer, 0, 0);
  system_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_STRICT, 0, 0);
  inputs_begin(number, first_read);
  program();
  leave(EXIT_END);
}

/* One run in a child; 0 when no child can be made. */
static int serve(u64 number, struct record *record, u64 microseconds) {
  s32 status = 0;
  the_response->running = 1;
  the_response->check = 0;
  the_response->reads = 0;
  long child = system_call(SYS_fork, 0, 0, 0, 0);
  if (child < 0) return 0;
  if (child == 0) run(number, record->first, microseconds);
  if (system_call(SYS_wait4, child, (word)&status, 0, 0) != child) return 0;
  record->status = (u32)status;
  record->check = the_response->check;
  record->reads = the_response->reads;
  the_response->running = 0;
  return 1;
}

/* The record for the next run: a new one while runs are kept and the log has room. */
static struct record *after(struct record *record) {
  const struct request *request = the_request;
  u64 next = record->first + record->reads;
  if (the_response->kept >= request->keep || next + request->run_reads > request->log_reads)
    return record;
  the_response->kept++;
  record[1].first = next;
  return record + 1;
}

/* The n-th term, n >= 1, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... (Luby, Sinclair, Zuckerman 1993). */
static u64 luby(u64 n) {
  for (;;) {
    u64 power = 1;
    while (2 * power - 1 < n) power *= 2;
    if (2 * power - 1 == n) return power;
    n -= power - 1;
  }
}

/* CPU time for the next run: a term of the sequence for each run that was timed out, so that
   neither endless runs nor long ones take all the time.  Without inputs all runs are the same. */
static u64 allowance(u64 number, const struct record *last, u64 *timeouts) {
  const struct request *request = the_request;
  int timed_out = number > 0 && (last->status & 127) == SIGPROF;
  *timeouts += timed_out;
  if (timed_out && last->reads == 0) return request->run_microseconds;
  u64 wanted = request->microseconds * luby(*timeouts + 1);
  return wanted < request->run_microseconds ? wanted : request->run_microseconds;
}

__attribute__((noreturn, used)) void begin(void) __asm__("sea.begin");

void begin(void) {
  map_shared_file();
  lower_limits();
  const struct request *request = the_request;
  struct record *record = (struct record *)((u8 *)the_response + request->records_at);
  u64 end = now() + request->nanoseconds, timeouts = 0;
  the_response->started = 1;
  for (u64 number = 0; number < request->runs && now() < end; number++) {
    u64 microseconds = allowance(number, record, &timeouts);
    if (number > 0) record = after(record);
    if (!serve(number, record, microseconds)) break;
    the_response->runs = number + 1;
    if (request->stop && record->status == EXIT_FAILED << 8) break;
  }
  leave(0);
}
