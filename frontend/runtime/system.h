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

#ifdef __x86_64__

enum {
  SYS_write = 1,
  SYS_close = 3,
  SYS_mmap = 9,
  SYS_setitimer = 38,
  SYS_fork = 57,
  SYS_exit = 60,
  SYS_wait4 = 61,
  SYS_chdir = 80,
  SYS_prctl = 157,
  SYS_clock_gettime = 228,
  SYS_prlimit64 = 302,
  SYS_close_range = 436
};

static inline long system_call(long number, word a, word b, word c, word d) {
  long result;
  register word fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

static inline void *map(word size, word protection, word flags, word file, word offset) {
  long result;
  register word fourth __asm__("r10") = flags;
  register word fifth __asm__("r8") = file;
  register word sixth __asm__("r9") = offset;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_mmap), "D"(0), "S"(size), "d"(protection), "r"(fourth), "r"(fifth),
                     "r"(sixth)
                   : "rcx", "r11", "memory");
  return (void *)result;
}

#else

enum {
  SYS_exit = 1,
  SYS_fork = 2,
  SYS_write = 4,
  SYS_close = 6,
  SYS_chdir = 12,
  SYS_old_mmap = 90,
  SYS_setitimer = 104,
  SYS_wait4 = 114,
  SYS_prctl = 172,
  SYS_clock_gettime = 265,
  SYS_prlimit64 = 340,
  SYS_close_range = 436
};

static inline long system_call(long number, word a, word b, word c, word d) {
  long result;
  __asm__ volatile("int $0x80"
                   : "=a"(result)
                   : "a"(number), "b"(a), "c"(b), "d"(c), "S"(d)
                   : "memory");
  return result;
}

static inline void *map(word size, word protection, word flags, word file, word offset) {
  word arguments[6] = {0, size, protection, flags, file, offset};
  return (void *)system_call(SYS_old_mmap, (word)arguments, 0, 0, 0);
}

#endif

/* The kernel returns small negative numbers for errors. */
static inline int is_error(const void *address) { return (word)address > (word)-4096; }

static inline __attribute__((noreturn)) void leave(word code) {
  for (;;) system_call(SYS_exit, code, 0, 0, 0);
}

#endif
