/* Raw system calls of Linux on i386 and x86_64, and the integer types of the run time. */
#ifndef SEA_SYSTEM_H
#define SEA_SYSTEM_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned long word;

enum { PAGE = 4096, SIGKILL = 9, RLIMIT_STACK = 3, STACK = 64 << 20 };

enum {
  PR_SET_PDEATHSIG = 1,
  PR_SET_SECCOMP = 22,
  PR_SET_NO_NEW_PRIVS = 38,
  ITIMER_PROF = 2,
  MADV_DONTFORK = 10,
  ARCH_SET_GS = 0x1001
};

#ifdef __x86_64__

enum {
  SYS_write = 1,
  SYS_close = 3,
  SYS_mmap = 9,
  SYS_madvise = 28,
  SYS_setitimer = 38,
  SYS_fork = 57,
  SYS_exit = 60,
  SYS_wait4 = 61,
  SYS_prctl = 157,
  SYS_arch_prctl = 158,
  SYS_clock_gettime = 228,
  SYS_prlimit64 = 302
};

static inline __attribute__((always_inline)) long system_call(long number, word a, word b, word c, word d) {
  long result;
  register word fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

#else

enum {
  SYS_exit = 1,
  SYS_fork = 2,
  SYS_write = 4,
  SYS_close = 6,
  SYS_setitimer = 104,
  SYS_wait4 = 114,
  SYS_prctl = 172,
  SYS_mmap = 192,
  SYS_madvise = 219,
  SYS_set_thread_area = 243,
  SYS_clock_gettime = 265,
  SYS_prlimit64 = 340
};

static inline __attribute__((always_inline)) long system_call(long number, word a, word b, word c, word d) {
  long result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)
                   : "memory");
  return result;
}

#endif

/* The kernel returns small negative numbers for errors. */
static inline __attribute__((always_inline)) int is_error(const void *address) { return (word)address > (word)-4096; }

static inline __attribute__((noreturn, always_inline)) void leave(word code) {
  for (;;) system_call(SYS_exit, code, 0, 0, 0);
}

#endif
