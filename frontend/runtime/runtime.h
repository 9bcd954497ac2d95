/* Declarations that the parts of the run time share.  Names with a dot cannot clash with C names. */
#ifndef SEA_RUNTIME_H
#define SEA_RUNTIME_H

#include "protocol.h"

/* Kinds of an input: a width in bits, or one of these. */
enum { KIND_FLOAT = 1001, KIND_DOUBLE = 1002, KIND_X87 = 1003, KIND_POINTER = 1004 };

/* Where no object lies: so many bytes from null on, and as many at the end of memory. */
enum { NOWHERE = 4096 };

/* Data of a run's own.  They lie where %gs points, at a random address that is stored nowhere in
   memory.  No pointer to them is ever made, so a program can neither name nor find them. */
struct run {
  word stack; /* the top of the stack for a run; its place is known to assembly */
  struct area *area;
  struct request *request;
  struct read *next, *end; /* in the log of the area */
  u64 nonce;               /* what a check that fails writes as the verdict of this run */
  u64 microseconds;        /* CPU time */
  word strict;             /* no filter holds: the run goes into seccomp's strict mode */
};

#define RUN ((__seg_gs struct run *)0)

/* The next value given for a site, if there is one left; write down what was read. */
int fetch(u32 site, struct value *out) __asm__("sea.fetch");
int is_amount(u32 site) __asm__("sea.is_amount");
void record(u32 site, const struct value *value) __asm__("sea.record");

void draw_begin(u64 seed) __asm__("sea.draw_begin");
void draw(u32 site, u32 kind, struct value *out) __asm__("sea.draw");

u64 random64(void) __asm__("sea.random64");
u32 below(u32 bound) __asm__("sea.below");
struct value mixture(u32 width) __asm__("sea.mixture");
struct value boundary(u32 width) __asm__("sea.boundary");
struct value word_of_dictionary(void) __asm__("sea.word_of_dictionary");
void text_begin(void) __asm__("sea.text_begin");
void text_anew(void) __asm__("sea.text_anew");
u8 text_character(void) __asm__("sea.text_character");

void watch_block(const void *block, word size) __asm__("sea.watch_block");
void watch_free(const void *block) __asm__("sea.watch_free");

void program(void) __asm__("sea.main");

/* Let %gs point to the data of a run. */
static inline __attribute__((always_inline)) int point_gs_to(struct run *run) {
#ifdef __x86_64__
  return system_call(SYS_arch_prctl, ARCH_SET_GS, (word)run, 0, 0) == 0;
#else
  /* entry: any; 32-bit, limit in pages, usable */
  struct {
    u32 entry, base, limit, flags;
  } segment = {~0u, (u32)run, 0xfffff, 1 | 1 << 4 | 1 << 6};
  if (system_call(SYS_set_thread_area, (word)&segment, 0, 0, 0) != 0) return 0;
  u32 selector = segment.entry * 8 + 3;
  __asm__ volatile("movl %0, %%gs" : : "r"(selector) : "memory");
  segment.base = 0;
  __asm__ volatile("" : : "r"(&segment) : "memory");
  return 1;
#endif
}

#endif
