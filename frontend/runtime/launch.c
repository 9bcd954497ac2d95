/* The launcher: it puts walls around its own process, then becomes the program.

   Descriptor 3 is the shared file, 4 the executable; the one argument is the name of the program.
   Nothing is started without limits, "no new privileges" and the filter.  Other walls are used if the
   kernel has them.  No wall depends on anything in the executable. */

#include "filter.h"

enum {
  SYS_pread64 = 17,
  SYS_getppid = 110,
  SYS_poll = 7,
  SYS_fcntl = 72,
  SYS_chdir = 80,
  SYS_pivot_root = 155,
  SYS_mount = 165,
  SYS_umount2 = 166,
  SYS_unshare = 272,
  SYS_execveat = 322,
  SYS_pidfd_open = 434,
  SYS_close_range = 436,
  SYS_getpid = 39,
  SYS_landlock_create_ruleset = 444,
  SYS_landlock_add_rule = 445,
  SYS_landlock_restrict_self = 446
};

enum { PROT_READ = 1, PROT_READ_WRITE = 3, PROT_EXEC = 4, MAP_SHARED = 1, MAP_PRIVATE = 2 };
enum { F_SETFD = 2, FD_CLOEXEC = 1, AT_EMPTY_PATH = 0x1000, POLLIN = 1 };
enum { MS_READ_ONLY = 1, MS_NOSUID = 2, MS_NODEV = 4, MS_NOEXEC = 8, MNT_DETACH = 2 };

/* System calls of i386, which a 32-bit program makes. */
enum {
  I386_exit = 1,
  I386_fork = 2,
  I386_write = 4,
  I386_close = 6,
  I386_munmap = 91,
  I386_setitimer = 104,
  I386_wait4 = 114,
  I386_prctl = 172,
  I386_mmap2 = 192,
  I386_madvise = 219,
  I386_set_thread_area = 243,
  I386_clock_gettime = 265,
  I386_prlimit64 = 340
};
enum { SYS_munmap = 11 };

__asm__(
    ".globl sea.start\n"
    "sea.start:\n\txorl %ebp, %ebp\n\tmovq %rsp, %rdi\n\tandq $-16, %rsp\n\tcall sea.begin\n");

static const struct request *request;
static struct response *response;

static int wanted(u64 layers) { return (request->layers & layers) == layers; }

static void hold(u64 layers) { response->layers |= layers; }

static long system_call_6(long number, word a, word b, word c, word d, word e, word f) {
  long result;
  register word fourth __asm__("r10") = d;
  register word fifth __asm__("r8") = e;
  register word sixth __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

static void *map_file(word size, word protection, word flags, word offset) {
  void *place =
      (void *)system_call_6(SYS_mmap, 0, size, protection, flags, SHARED_FILE, offset);
  if (is_error(place)) leave(1);
  return place;
}

/* ----------------------------------------------------------------------------- namespaces */

struct space {
  u64 layer;
  word flag;
};

static const struct space spaces[] = {
    {LAYER_USER, 0x10000000}, {LAYER_MOUNT, 0x20000},   {LAYER_NETWORK, 0x40000000},
    {LAYER_IPC, 0x8000000},   {LAYER_UTS, 0x4000000},   {LAYER_PROCESSES, 0x20000000},
};
enum { SPACES = sizeof spaces / sizeof *spaces };

/* The mount namespace counts as a layer only when its root is empty. */
static u64 counted(u64 layers) { return layers & ~(u64)LAYER_MOUNT; }

/* Make new namespaces: all at once, or those that can be had.  Without a namespace of users none is
   tried: only its owner may make the others, and a root user would stay root inside.  Gives the
   layers that were made, with LAYER_MOUNT. */
static u64 unshare(void) {
  word all = 0;
  u64 layers = 0;
  if (!wanted(LAYER_USER)) return 0;
  for (int i = 0; i < SPACES; i++)
    if (wanted(spaces[i].layer)) all |= spaces[i].flag, layers |= spaces[i].layer;
  if (system_call(SYS_unshare, all, 0, 0, 0) == 0) return layers;
  layers = 0;
  for (int i = 0; i < SPACES; i++) {
    int made = wanted(spaces[i].layer) && system_call(SYS_unshare, spaces[i].flag, 0, 0, 0) == 0;
    if (made) layers |= spaces[i].layer;
    if (i == 0 && !made) return 0;
  }
  return layers;
}

/* Wait for the first process of the new namespace, and end as it ends. */
static __attribute__((noreturn)) void end_with(long child) {
  s32 status = 0;
  if (system_call(SYS_wait4, child, (word)&status, 0, 0) != child) leave(1);
  leave(status & 127 ? 128 + (status & 127) : (status >> 8) & 255);
}

static void die_with_parent(void) {
  system_call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0);
}

/* Go on in a child, the first process of its namespace; it ends when this one does. */
static void become_first(void) {
  struct {
    s32 file;
    short wanted, seen;
  } parent;
  parent.file = (s32)system_call(SYS_pidfd_open, system_call(SYS_getpid, 0, 0, 0, 0), 0, 0, 0);
  parent.wanted = POLLIN;
  long child = system_call(SYS_fork, 0, 0, 0, 0);
  if (child < 0) leave(1);
  if (child > 0) end_with(child);
  die_with_parent();
  if (system_call(SYS_poll, (word)&parent, 1, 0, 0) != 0) leave(1); /* the parent has ended already */
}

/* Make an empty file system that cannot be written the root, and take the old one away. */
static int empty_root(void) {
  static const char *const places[] = {"/tmp", "/proc", "/dev", "/usr"};
  word flags = MS_READ_ONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  for (word i = 0; i < sizeof places / sizeof *places; i++) {
    word place = (word)places[i];
    if (system_call_6(SYS_mount, (word) "sea", place, (word) "tmpfs", flags, 0, 0) != 0) continue;
    return system_call(SYS_chdir, place, 0, 0, 0) == 0 &&
           system_call(SYS_pivot_root, (word) ".", (word) ".", 0, 0) == 0 &&
           system_call(SYS_umount2, (word) ".", MNT_DETACH, 0, 0) == 0 &&
           system_call(SYS_chdir, (word) "/", 0, 0, 0) == 0;
  }
  return 0;
}

static void separate(void) {
  u64 made = unshare();
  die_with_parent(); /* only now, since a new namespace of users resets it */
  if ((u64)system_call(SYS_getppid, 0, 0, 0, 0) != request->parent) leave(1);
  hold(counted(made));
  if (made & LAYER_PROCESSES) become_first();
  if (made & LAYER_MOUNT && empty_root()) hold(LAYER_MOUNT);
  system_call(SYS_chdir, (word) "/", 0, 0, 0);
}

/* ------------------------------------------------------------------------------- Landlock */

enum { LANDLOCK_VERSION = 1, LANDLOCK_BENEATH = 1, LANDLOCK_EXECUTE = 1, LANDLOCK_READ = 4 };

/* 1 from Linux 5.13 on, 2 from 5.19 on, and so forth; below 1 if the kernel has no Landlock. */
static long landlock_version(void) {
  return system_call(SYS_landlock_create_ruleset, 0, 0, LANDLOCK_VERSION, 0);
}

/* All rights on files and networks, and all scopes, of a version of Landlock. */
static struct ruleset {
  u64 files, networks, scopes;
} rights(long version) {
  struct ruleset all = {(1u << 13) - 1, 0, 0};
  if (version >= 2) all.files |= 1u << 13;
  if (version >= 3) all.files |= 1u << 14;
  if (version >= 4) all.networks = 3;
  if (version >= 5) all.files |= 1u << 15;
  if (version >= 6) all.scopes = 3;
  return all;
}

/* Forbid all uses of files but the execution of this one. */
static int landlock(void) {
  struct __attribute__((packed)) {
    u64 allowed;
    s32 file;
  } rule = {LANDLOCK_EXECUTE | LANDLOCK_READ, PROGRAM_FILE};
  long version = landlock_version();
  if (version < 1) return 0;
  struct ruleset all = rights(version);
  word size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  long made = system_call(SYS_landlock_create_ruleset, (word)&all, size, 0, 0);
  if (made < 0) return 0;
  long added = system_call(SYS_landlock_add_rule, made, LANDLOCK_BENEATH, (word)&rule, 0);
  long restricted = added == 0 ? system_call(SYS_landlock_restrict_self, made, 0, 0, 0) : -1;
  system_call(SYS_close, made, 0, 0, 0);
  return restricted == 0;
}

/* --------------------------------------------------------------------------------- limits */

enum {
  RLIMIT_CPU = 0,
  RLIMIT_FSIZE = 1,
  RLIMIT_CORE = 4,
  RLIMIT_NPROC = 6,
  RLIMIT_NOFILE = 7,
  RLIMIT_MEMLOCK = 8,
  RLIMIT_AS = 9,
  RLIMIT_MSGQUEUE = 12,
  FILES = 8,
  PROCESSES = 8,
  EXTRA_MEMORY = 4 << 20
};

static int limit(word kind, u64 bound) {
  u64 pair[2] = {bound, bound};
  return system_call(SYS_prlimit64, 0, kind, (word)pair, 0) == 0;
}

static int limits(void) {
  u64 shared = request->size + request->response_size + request->area_size;
  /* Before Linux 5.14 this also counts the user's processes outside of the namespace. */
  if (response->layers & LAYER_USER && landlock_version() >= 2) limit(RLIMIT_NPROC, PROCESSES);
  return limit(RLIMIT_CORE, 0) & limit(RLIMIT_FSIZE, 0) & limit(RLIMIT_STACK, STACK) &
         limit(RLIMIT_MEMLOCK, 0) & limit(RLIMIT_MSGQUEUE, 0) & limit(RLIMIT_NOFILE, FILES) &
         limit(RLIMIT_CPU, request->seconds) &
         limit(RLIMIT_AS, request->memory + shared + STACK + EXTRA_MEMORY);
}

/* -------------------------------------------------------------------------------- seccomp */

static void allow_start(struct filter *filter) {
  allow_if_both(filter, SYS_execveat, 0, PROGRAM_FILE, 4, AT_EMPTY_PATH);
}

/* Rules on x86_64.  The first ones hold for runs too: a timer and a parent's death end them. */
static void rules_64(struct filter *filter) {
  u32 begun = begin_architecture(filter, ARCHITECTURE_64);
  allow_start(filter);
  allow(filter, SYS_exit);
  allow_if(filter, SYS_setitimer, 0, ITIMER_PROF);
  allow_if_both(filter, SYS_prctl, 0, PR_SET_PDEATHSIG, 1, SIGKILL);
  only_the_server(filter);
  allow(filter, SYS_fork);
  allow(filter, SYS_wait4);
  allow(filter, SYS_clock_gettime);
  allow(filter, SYS_munmap);
  allow(filter, SYS_close);
  allow_without(filter, SYS_mmap, 2, PROT_EXEC);
  allow_if(filter, SYS_madvise, 2, MADV_DONTFORK);
  allow_if(filter, SYS_arch_prctl, 0, ARCH_SET_GS);
  end_architecture(filter, begun);
}

static void rules_32(struct filter *filter) {
  u32 started = begin_architecture(filter, ARCHITECTURE_64);
  allow_start(filter);
  end_architecture(filter, started);
  u32 begun = begin_architecture(filter, ARCHITECTURE_32);
  allow(filter, I386_exit);
  allow_if(filter, I386_setitimer, 0, ITIMER_PROF);
  allow_if_both(filter, I386_prctl, 0, PR_SET_PDEATHSIG, 1, SIGKILL);
  only_the_server(filter);
  allow(filter, I386_fork);
  allow(filter, I386_wait4);
  allow(filter, I386_clock_gettime);
  allow(filter, I386_munmap);
  allow(filter, I386_close);
  allow_without(filter, I386_mmap2, 2, PROT_EXEC);
  allow_if(filter, I386_madvise, 2, MADV_DONTFORK);
  allow(filter, I386_set_thread_area);
  end_architecture(filter, begun);
}

/* Rules for an executable of `alone.c`: it writes, and it restricts itself further. */
static void rules_alone(struct filter *filter) {
  u32 begun = begin_architecture(filter, ARCHITECTURE_64);
  allow_start(filter);
  if (request->bits == 64) {
    allow(filter, SYS_exit);
    allow_if(filter, SYS_write, 0, STANDARD_ERROR);
    allow_if_both(filter, SYS_prlimit64, 0, 0, 1, RLIMIT_STACK);
    allow_if(filter, SYS_arch_prctl, 0, ARCH_SET_GS);
    allow_if_either(filter, SYS_prctl, 0, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP);
  }
  end_architecture(filter, begun);
  if (request->bits == 64) return;
  begun = begin_architecture(filter, ARCHITECTURE_32);
  allow(filter, I386_exit);
  allow_if(filter, I386_write, 0, STANDARD_ERROR);
  allow_if_both(filter, I386_prlimit64, 0, 0, 1, RLIMIT_STACK);
  allow(filter, I386_set_thread_area);
  allow_if_either(filter, I386_prctl, 0, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP);
  end_architecture(filter, begun);
}

static int filtered(void) {
  static struct filter filter;
  if (request->alone)
    rules_alone(&filter);
  else if (request->bits == 64)
    rules_64(&filter);
  else
    rules_32(&filter);
  return install(&filter) == 0;
}

/* --------------------------------------------------------------------------------- the road */

static void open_file(void) {
  request = map_file(PAGE, PROT_READ, MAP_PRIVATE, 0);
  response = map_file(PAGE, PROT_READ_WRITE, MAP_SHARED, request->size);
}

/* Close all descriptors but the standard ones, the executable (until it runs), and the shared file
   for the server. */
static void close_files(void) {
  system_call(SYS_close_range, PROGRAM_FILE + 1, ~0u, 0, 0);
  system_call(SYS_fcntl, PROGRAM_FILE, F_SETFD, FD_CLOEXEC, 0);
  if (request->alone) system_call(SYS_fcntl, SHARED_FILE, F_SETFD, FD_CLOEXEC, 0);
}

__attribute__((noreturn, used)) void begin(word *stack) __asm__("sea.begin");

void begin(word *stack) {
  word arguments[2] = {stack[0] > 1 ? stack[2] : 0, 0}, environment[1] = {0};
  open_file();
  separate();
  close_files();
  if (wanted(LAYER_LIMITS) && limits()) hold(LAYER_LIMITS);
  if (wanted(LAYER_PRIVILEGES) && system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0) == 0)
    hold(LAYER_PRIVILEGES);
  if (wanted(LAYER_LANDLOCK) && landlock()) hold(LAYER_LANDLOCK);
  if (wanted(LAYER_SECCOMP) && filtered()) hold(LAYER_SECCOMP);
  u64 missing = request->layers & LAYERS_REQUIRED & ~response->layers;
  if (missing == 0)
    system_call_6(SYS_execveat, PROGRAM_FILE, (word) "", (word)arguments, (word)environment,
                  AT_EMPTY_PATH, 0);
  leave(1);
}
