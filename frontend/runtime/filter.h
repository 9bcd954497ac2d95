/* Filters of system calls (seccomp(2)), written rule by rule in the kernel's language, classic BPF.
   A call that no rule allows ends the process. */
#ifndef SEA_FILTER_H
#define SEA_FILTER_H

#include "protocol.h"

struct instruction {
  unsigned short code;
  u8 if_true, if_false;
  u32 operand;
};

enum { MOST_INSTRUCTIONS = 200 };

struct filter {
  u32 length;
  struct instruction code[MOST_INSTRUCTIONS];
};

/* Operations, and the offsets of the number, architecture and arguments of a call. */
enum {
  LOAD = 0x20,
  IF_EQUAL = 0x15,
  IF_ABOVE = 0x25,
  IF_BITS = 0x45,
  ANSWER = 0x06,
  NUMBER_AT = 0,
  ARCHITECTURE_AT = 4,
  CODE_AT = 8,
  ARGUMENTS_AT = 16
};

#define ALLOW 0x7fff0000u
#define KILL 0x80000000u
#define ARCHITECTURE_64 0xc000003eu
#define ARCHITECTURE_32 0x40000003u

enum { MODE_FILTER = 2, STANDARD_ERROR = 2 };

static inline void add(struct filter *filter, u32 code, u32 operand, u8 if_true, u8 if_false) {
  struct instruction *next = filter->code + filter->length++;
  next->code = (unsigned short)code;
  next->if_true = if_true;
  next->if_false = if_false;
  next->operand = operand;
}

static inline void allow(struct filter *filter, u32 number) {
  add(filter, IF_EQUAL, number, 0, 1);
  add(filter, ANSWER, ALLOW, 0, 0);
}

/* Load the lower half of an argument; arguments that matter here are no wider. */
static inline void load_argument(struct filter *filter, u32 argument) {
  add(filter, LOAD, ARGUMENTS_AT + 8 * argument, 0, 0);
}

static inline void allow_if(struct filter *filter, u32 number, u32 argument, u32 value) {
  add(filter, IF_EQUAL, number, 0, 4);
  load_argument(filter, argument);
  add(filter, IF_EQUAL, value, 0, 1);
  add(filter, ANSWER, ALLOW, 0, 0);
  add(filter, ANSWER, KILL, 0, 0);
}

static inline void allow_if_either(struct filter *filter, u32 number, u32 argument, u32 one,
                                   u32 other) {
  add(filter, IF_EQUAL, number, 0, 5);
  load_argument(filter, argument);
  add(filter, IF_EQUAL, one, 1, 0);
  add(filter, IF_EQUAL, other, 0, 1);
  add(filter, ANSWER, ALLOW, 0, 0);
  add(filter, ANSWER, KILL, 0, 0);
}

/* Allow a call if argument `first` is `one` and argument `second` is `other`. */
static inline void allow_if_both(struct filter *filter, u32 number, u32 first, u32 one, u32 second,
                                 u32 other) {
  add(filter, IF_EQUAL, number, 0, 6);
  load_argument(filter, first);
  add(filter, IF_EQUAL, one, 0, 3);
  load_argument(filter, second);
  add(filter, IF_EQUAL, other, 0, 1);
  add(filter, ANSWER, ALLOW, 0, 0);
  add(filter, ANSWER, KILL, 0, 0);
}

static inline void allow_without(struct filter *filter, u32 number, u32 argument, u32 bits) {
  add(filter, IF_EQUAL, number, 0, 4);
  load_argument(filter, argument);
  add(filter, IF_BITS, bits, 1, 0);
  add(filter, ANSWER, ALLOW, 0, 0);
  add(filter, ANSWER, KILL, 0, 0);
}

/* Rules from here up to `end_architecture` are about calls of one architecture. */
static inline u32 begin_architecture(struct filter *filter, u32 architecture) {
  add(filter, LOAD, ARCHITECTURE_AT, 0, 0);
  add(filter, IF_EQUAL, architecture, 0, 0);
  add(filter, LOAD, NUMBER_AT, 0, 0);
  return filter->length - 2;
}

static inline void end_architecture(struct filter *filter, u32 begun) {
  add(filter, ANSWER, KILL, 0, 0);
  filter->code[begun].if_false = (u8)(filter->length - begun - 1);
}

/* The rules that follow are about calls from the code of the server alone. */
static inline void only_the_server(struct filter *filter) {
  add(filter, LOAD, CODE_AT + 4, 0, 0);
  add(filter, IF_EQUAL, 0, 1, 0);
  add(filter, ANSWER, KILL, 0, 0);
  add(filter, LOAD, CODE_AT, 0, 0);
  add(filter, IF_ABOVE, SERVER_END, 0, 1); /* the address behind the call may be the end itself */
  add(filter, ANSWER, KILL, 0, 0);
  add(filter, IF_ABOVE, SERVER_BEGIN, 1, 0);
  add(filter, ANSWER, KILL, 0, 0);
  add(filter, LOAD, NUMBER_AT, 0, 0);
}

static inline long install(struct filter *filter) {
  struct {
    unsigned short length;
    struct instruction *code;
  } program;
  add(filter, ANSWER, KILL, 0, 0);
  program.length = (unsigned short)filter->length;
  program.code = filter->code;
  system_call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0);
  return system_call(SYS_prctl, PR_SET_SECCOMP, MODE_FILTER, (word)&program, 0);
}

/* Allow what an executable counterexample does: it writes what failed, and ends. */
static inline void allow_writing(struct filter *filter) {
#ifdef __x86_64__
  u32 begun = begin_architecture(filter, ARCHITECTURE_64);
#else
  u32 begun = begin_architecture(filter, ARCHITECTURE_32);
#endif
  allow(filter, SYS_exit);
  allow_if(filter, SYS_write, 0, STANDARD_ERROR);
  end_architecture(filter, begun);
}

#endif
