/* Entry of an executable counterexample: one run of the program, in this process, on the inputs that
   are linked in.  The check that fails is written to standard error, and the exit code is 1.  Before
   the program begins, the process forbids itself everything else, if the kernel can enforce that. */

#include "filter.h"
#include "runtime.h"

enum { EXIT_ERROR = 1 };

/* What `frontend/runtime/alone.py` links in: the request of a run, and the texts of the checks. */
struct text {
  u64 at, size;
};

struct texts {
  u64 checks; /* entries of `text`, by number */
  u64 judged; /* the check whose evaluation number `visit`, from 1, fails whatever its bit is: */
  u64 visit;  /* whether memory is valid is not known here.  0: no such check */
  struct text text[];
};

extern struct request linked_request __asm__("sea.linked_request");
extern const struct texts linked_texts __asm__("sea.linked_texts");

static struct run the_run;
static struct area the_area; /* without a log */
static struct filter filter;

#ifdef __x86_64__
__asm__(".globl sea.start\nsea.start:\n\txorl %ebp, %ebp\n\tandq $-16, %rsp\n\tcall sea.begin\n");
#else
__asm__(".globl sea.start\nsea.start:\n\txorl %ebp, %ebp\n\tandl $-16, %esp\n\tcall sea.begin\n");
#endif

static void say(u32 number) {
  if (number >= linked_texts.checks) return;
  const struct text *text = &linked_texts.text[number];
  system_call(SYS_write, STANDARD_ERROR, (word)&linked_texts + text->at, text->size, 0);
}

static u64 visits;

void sea_check(u32 bit, u32 number) __asm__("sea.check");

void sea_check(u32 bit, u32 number) {
  int judged = linked_texts.visit != 0 && number == linked_texts.judged;
  if (judged && ++visits == linked_texts.visit) bit = 0;
  if (bit & 1) return;
  say(number);
  leave(EXIT_ERROR);
}

/* The limit of native runs, if it can be had, for deep recursion. */
static void allow_a_large_stack(void) {
  u64 pair[2] = {STACK, STACK};
  system_call(SYS_prlimit64, 0, RLIMIT_STACK, (word)pair, 0);
}

__attribute__((noreturn, used)) void begin(void) __asm__("sea.begin");

void begin(void) {
  allow_a_large_stack();
  the_run.area = &the_area;
  the_run.request = &linked_request;
  if (!point_gs_to(&the_run)) leave(EXIT_LIMIT);
  allow_writing(&filter);
  install(&filter);
  program();
  leave(EXIT_END);
}
