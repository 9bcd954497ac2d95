/* Entry and server: forks a child for each run, which calls `sea.main`.  The launcher has set all
   limits before.  Code and data of the server lie in memory that runs do not have.  The server trusts
   only how a run ended, and contents of the run's area that are within bounds. */

#include "runtime.h"

#define SERVER __attribute__((section(".sea.server")))

enum {
  PROT_NONE = 0,
  PROT_READ_WRITE = 3,
  MAP_SHARED = 1,
  MAP_PRIVATE = 2,
  MAP_FIXED = 16,
  MAP_ANONYMOUS = 32,
  MAP_NORESERVE = 0x4000,
  MAP_FIXED_NOREPLACE = 0x100000,
  SECCOMP_STRICT = 1,
  SIGPROF = 27,
  CLOCK_MONOTONIC = 1,
  GUARD = 1 << 20,
  SERVER_STACK = 16 << 10,
  PLACES = 100
};

struct server {
  const struct request *request;
  struct response *response;
  struct area *area;
  struct record *record; /* of the last run */
  u64 secret[2];
};

/* The instruction of fork is the last one in the pages of the server.  The child goes on behind them,
   on a stack of its own and without any value of the server. */
#ifdef __x86_64__
#define FORK_CLOBBERS "rcx", "r11", "memory"
__asm__(
    ".section .sea.server, \"ax\"\n"
    ".globl sea.start\n"
    "sea.start:\n\txorl %ebp, %ebp\n\tmovq %rsp, %rdi\n\tandq $-16, %rsp\n\tcall sea.begin\n"
    "sea.on_stack:\n\tmovq %rdi, %rsp\n\txorl %ebp, %ebp\n\tcall *%rsi\n"
    ".section .sea.fork, \"ax\"\n"
    "sea.fork:\n\tsyscall\n"
    ".section .sea.run, \"ax\"\n"
    "\ttestl %eax, %eax\n\tjz 1f\n\tret\n"
    "1:\tmovq %gs:0, %rsp\n"
    "\t.irp r, ebx, ecx, edx, esi, edi, ebp, r8d, r9d, r10d, r11d, r12d, r13d, r14d, r15d\n"
    "\txorl %\\r, %\\r\n\t.endr\n"
    "\t.irp r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
    "\txorps %xmm\\r, %xmm\\r\n\t.endr\n"
    "\tcall sea.child\n"
    ".text\n");
#else
#define FORK_CLOBBERS "memory"
__asm__(
    ".section .sea.server, \"ax\"\n"
    ".globl sea.start\n"
    "sea.start:\n\txorl %ebp, %ebp\n\tmovl %esp, %eax\n\tandl $-16, %esp\n\tsubl $12, %esp\n"
    "\tpushl %eax\n\tcall sea.begin\n"
    "sea.on_stack:\n\tmovl 8(%esp), %eax\n\tmovl 4(%esp), %esp\n\txorl %ebp, %ebp\n\tcall *%eax\n"
    "sea.map:\n\tpushl %ebp\n\tpushl %ebx\n\tpushl %esi\n\tpushl %edi\n\tmovl 20(%esp), %eax\n"
    "\tmovl (%eax), %ebx\n\tmovl 4(%eax), %ecx\n\tmovl 8(%eax), %edx\n\tmovl 12(%eax), %esi\n"
    "\tmovl 16(%eax), %edi\n\tmovl 20(%eax), %ebp\n\tmovl $192, %eax\n\tint $0x80\n"
    "\tpopl %edi\n\tpopl %esi\n\tpopl %ebx\n\tpopl %ebp\n\tret\n"
    ".section .sea.fork, \"ax\"\n"
    "sea.fork:\n\tint $0x80\n"
    ".section .sea.run, \"ax\"\n"
    "\ttestl %eax, %eax\n\tjz 1f\n\tret\n"
    "1:\tmovl %gs:0, %esp\n"
    "\t.irp r, ebx, ecx, edx, esi, edi, ebp\n\txorl %\\r, %\\r\n\t.endr\n"
    "\t.irp r, 0, 1, 2, 3, 4, 5, 6, 7\n\txorps %xmm\\r, %xmm\\r\n\t.endr\n"
    "\tcall sea.child\n"
    ".text\n");
long map_six(const word *arguments) __asm__("sea.map");
#endif

__attribute__((noreturn)) void on_stack(word stack, void (*function)(void)) __asm__("sea.on_stack");

/* `offset` is a multiple of PAGE. */
SERVER static void *map(word at, word size, word protection, word flags, word file, word offset) {
#ifdef __x86_64__
  long result;
  register word fourth __asm__("r10") = flags;
  register word fifth __asm__("r8") = file;
  register word sixth __asm__("r9") = offset;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_mmap), "D"(at), "S"(size), "d"(protection), "r"(fourth), "r"(fifth),
                     "r"(sixth)
                   : "rcx", "r11", "memory");
#else
  word arguments[6] = {at, size, protection, flags, file, offset / PAGE};
  long result = map_six(arguments);
#endif
  return (void *)result;
}

SERVER static void *map_shared(word size, word flags, word offset) {
  void *place = map(0, size, PROT_READ_WRITE, flags, SHARED_FILE, offset);
  if (is_error(place)) leave(1);
  return place;
}

SERVER static void *map_memory(word at, word size, word protection, word flags) {
  return map(at, size, protection, flags | MAP_PRIVATE | MAP_ANONYMOUS, ~(word)0, 0);
}

SERVER static void keep_from_runs(word at, word size) {
  system_call(SYS_madvise, at, size, MADV_DONTFORK, 0);
}

SERVER static u64 now(void) {
  struct {
    word seconds, nanoseconds;
  } time;
  system_call(SYS_clock_gettime, CLOCK_MONOTONIC, (word)&time, 0, 0);
  return time.seconds * 1000000000ull + time.nanoseconds;
}

/* A one-to-one mixing function: the last step of Splitmix64 (Steele, Lea, Flood 2014). */
SERVER static u64 mixed(u64 x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/* The nonce of a run, never 0.  The nonce of one run does not help to guess the next ones. */
SERVER static u64 nonce(const struct server *server, u64 number) {
  return (mixed(server->secret[0] + number) ^ server->secret[1]) | 1;
}

/* Map the stack of a run, above memory without access; gives the address of its top. */
SERVER static word stack_of_runs(void) {
  word whole = (word)map_memory(0, GUARD + STACK, PROT_NONE, MAP_NORESERVE);
  if (is_error((void *)whole)) leave(1);
  word low = whole + GUARD;
  void *stack = map_memory(low, STACK, PROT_READ_WRITE, MAP_NORESERVE | MAP_FIXED);
  if (is_error(stack)) leave(1);
  return low + STACK;
}

/* Put `struct run` at a random address and point %gs to it. */
SERVER static void place_run(const struct server *server) {
  for (u64 k = 0; k < PLACES; k++) {
    u64 random = mixed(~server->secret[1] + k);
#ifdef __x86_64__
    word at = (word)(random & 0x3ffffffff000ull) | 0x100000000ull;
#else
    word at = ((word)random & 0x7ffff000u) + 0x20000000u;
#endif
    word found = (word)map_memory(at, PAGE, PROT_READ_WRITE, MAP_FIXED_NOREPLACE);
    if (found == at && point_gs_to((struct run *)at)) return;
  }
  leave(1);
}

SERVER static void open_file(struct server *server) {
  struct request *head = map_shared(PAGE, MAP_PRIVATE, 0);
  struct request *request = map_shared(head->size, MAP_PRIVATE, 0);
  word response_at = request->size, area_at = response_at + request->response_size;
  server->request = request;
  server->response = map_shared(request->response_size, MAP_SHARED, response_at);
  server->area = map_shared(request->area_size, MAP_SHARED, area_at);
  server->record = (struct record *)((u8 *)server->response + request->records_at);
  server->secret[0] = server->response->secret[0];
  server->secret[1] = server->response->secret[1];
  keep_from_runs((word)server->response, request->response_size);
  keep_from_runs((word)head, PAGE);
  system_call(SYS_close, SHARED_FILE, 0, 0, 0);
}

SERVER static void prepare_runs(struct server *server) {
  word stack = stack_of_runs();
  place_run(server);
  RUN->stack = stack;
  RUN->area = server->area;
  RUN->request = (struct request *)server->request;
  RUN->end = server->area->log + server->request->run_reads;
  RUN->strict = !(server->response->layers & LAYER_SECCOMP);
}

__attribute__((noreturn, used)) void child(void) __asm__("sea.child");

/* The first function of a run, on its own stack. */
void child(void) {
  u32 microseconds = (u32)RUN->microseconds;
  word timer[4] = {0, 0, microseconds / 1000000u, microseconds % 1000000u};
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
  system_call(SYS_setitimer, ITIMER_PROF, (word)timer, 0, 0);
  if (RUN->strict) system_call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_STRICT, 0, 0);
  program();
  leave(EXIT_END);
}

SERVER static long fork_child(void) {
  long result;
  __asm__ volatile("call sea.fork" : "=a"(result) : "a"(SYS_fork) : FORK_CLOBBERS);
  return result;
}

/* Write the record of a run that ended, as far as the run can be trusted. */
SERVER static void judge(struct server *server, u32 status, u64 number) {
  const volatile struct area *area = server->area;
  struct record *record = server->record;
  u64 reads = area->reads, most = server->request->run_reads;
  record->status = status;
  record->check = (u32)area->check;
  record->reads = reads <= most ? reads : 0;
  record->strange = 0;
  if (reads > most)
    record->strange = STRANGE_COUNT;
  else if (status == EXIT_FAILED << 8 && area->verdict != nonce(server, number))
    record->strange = STRANGE_VERDICT;
}

/* Make one run in a child; 0 if no child can be made. */
SERVER static int serve(struct server *server, u64 number, u64 microseconds) {
  const struct request *request = server->request;
  struct area *area = server->area;
  s32 status = 0;
  area->verdict = area->check = area->reads = 0;
  RUN->next = area->log;
  RUN->nonce = nonce(server, number);
  RUN->microseconds = microseconds;
  if (request->mode == MODE_DRAW) draw_begin(request->seed + number);
  long child = fork_child();
  if (child <= 0) return 0;
  if (system_call(SYS_wait4, child, (word)&status, 0, 0) != child) return 0;
  judge(server, (u32)status, number);
  return 1;
}

/* Copy the inputs of the last run into the log of its record. */
SERVER static void record_reads(const struct server *server) {
  struct read *log = (struct read *)((u8 *)server->response + server->request->log_at);
  const volatile struct read *from = server->area->log;
  for (u64 i = 0; i < server->record->reads; i++) {
    struct read *to = log + server->record->first + i;
    to->site = from[i].site;
    to->value.low = from[i].value.low;
    to->value.high = from[i].value.high;
  }
}

/* Choose the record for the next run: a new one while runs are kept and the log has room. */
SERVER static void next_record(struct server *server) {
  const struct request *request = server->request;
  struct record *record = server->record;
  u64 next = record->first + record->reads;
  if (server->response->kept >= request->keep || next + request->run_reads > request->log_reads)
    return;
  record_reads(server);
  server->response->kept++;
  record[1].first = next;
  server->record++;
}

/* The n-th term, n >= 1, of 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... (Luby, Sinclair, Zuckerman 1993). */
SERVER static u64 luby(u64 n) {
  for (;;) {
    u64 power = 1;
    while (2 * power - 1 < n) power *= 2;
    if (2 * power - 1 == n) return power;
    n -= power - 1;
  }
}

/* CPU time for the next run.  It goes on by one term of the sequence for each run that was timed out,
   so that neither endless runs nor long ones take all the time.  Without inputs all runs are equal. */
SERVER static u64 allowance(const struct server *server, u64 number, u64 *timeouts) {
  const struct request *request = server->request;
  const struct record *last = server->record;
  int timed_out = number > 0 && (last->status & 127) == SIGPROF;
  *timeouts += timed_out;
  if (timed_out && last->reads == 0) return request->run_microseconds;
  u64 wanted = request->microseconds * luby(*timeouts + 1);
  return wanted < request->run_microseconds ? wanted : request->run_microseconds;
}

SERVER static int failed(const struct record *record) {
  return record->status == EXIT_FAILED << 8 && !record->strange;
}

/* Whether the run read nothing and ended by itself; without inputs all runs are equal. */
SERVER static int is_the_only_one(const struct record *record) {
  return record->reads == 0 && (record->status & 127) == 0 && !record->strange;
}

SERVER static __attribute__((noreturn)) void serve_all(void) {
  struct server server;
  open_file(&server);
  prepare_runs(&server);
  const struct request *request = server.request;
  struct response *response = server.response;
  u64 end = now() + request->nanoseconds, timeouts = 0, lost = 0;
  response->started = response->running = 1;
  for (u64 number = 0; number < request->runs && now() < end; number++) {
    u64 microseconds = allowance(&server, number, &timeouts);
    if (number > 0) next_record(&server);
    if (!serve(&server, number, microseconds)) leave(0);
    response->runs = number + 1;
    if (request->stop && (failed(server.record) || is_the_only_one(server.record))) break;
    if ((server.record->status & 127) == SIGPROF) lost += microseconds;
    if (lost >= request->long_microseconds) break;
  }
  if (response->runs > 0) record_reads(&server);
  response->running = 0;
  leave(0);
}

__attribute__((noreturn, used)) void begin(word given_stack) __asm__("sea.begin");

/* Continue on a stack of the server.  Runs have neither this one nor the stack from the kernel. */
SERVER void begin(word given_stack) {
  word stack = (word)map_memory(0, SERVER_STACK, PROT_READ_WRITE, 0);
  if (is_error((void *)stack)) leave(1);
  word page = given_stack & -(word)PAGE;
  keep_from_runs(page - SERVER_STACK, SERVER_STACK + PAGE);
  keep_from_runs(stack, SERVER_STACK);
  keep_from_runs(SERVER_BEGIN, SERVER_END - SERVER_BEGIN);
  on_stack(stack + SERVER_STACK, serve_all);
}
