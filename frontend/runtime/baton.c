/* Threads of a run.  Each has a stack of its own, and one runs at a time: it hands the baton on where
   a step of the product begins, to the thread that made the next step there.  So a run of the product
   is repeated by threads, in whose code the product has no part.  Beyond the given steps a run ends. */

#include "runtime.h"

enum { MARK = 1 << 22, MOST = 16, OWN_STACK = 3 << 20, STEPS = 1 };

static word stacks[MOST]; /* of threads that wait for the baton */
static u8 ended[MOST];
static u32 holder;

void sea_mark(u32 thread) __asm__("sea.mark");

/* The product: the next step is one of this thread. */
void sea_mark(u32 thread) {
  struct value value = {thread, 0};
  if (RUN->next < RUN->end) record(MARK, &value);
}

void hand_over(word *from, word to) __asm__("sea.hand_over");

#ifdef __x86_64__
__asm__(
    ".text\n"
    "sea.hand_over:\n\tpushq %rbx\n\tpushq %rbp\n\tpushq %r12\n\tpushq %r13\n\tpushq %r14\n"
    "\tpushq %r15\n\tmovq %rsp, (%rdi)\n\tmovq %rsi, %rsp\n\tpopq %r15\n\tpopq %r14\n\tpopq %r13\n"
    "\tpopq %r12\n\tpopq %rbp\n\tpopq %rbx\n\tret\n");
enum { SAVED = 6 };
#else
__asm__(
    ".text\n"
    "sea.hand_over:\n\tmovl 4(%esp), %eax\n\tmovl 8(%esp), %edx\n\tpushl %ebx\n\tpushl %ebp\n"
    "\tpushl %esi\n\tpushl %edi\n\tmovl %esp, (%eax)\n\tmovl %edx, %esp\n\tpopl %edi\n\tpopl %esi\n"
    "\tpopl %ebp\n\tpopl %ebx\n\tret\n");
enum { SAVED = 4 };
#endif

/* Hand the baton to the thread of the next step. */
static void next_turn(u32 self) {
  struct value value;
  if (!fetch(STEPS, &value)) leave(EXIT_END);
  u32 next = (u32)value.low;
  if (next == self && !ended[self]) return;
  if (next >= MOST || stacks[next] == 0 || ended[next]) leave(EXIT_BLOCKED);
  word to = stacks[next];
  stacks[next] = 0;
  holder = next;
  hand_over(&stacks[self], to);
}

void sea_turn(void) __asm__("sea.turn");

/* The holder has come to the begin of a step. */
void sea_turn(void) { next_turn(holder); }

void sea_over(void) __asm__("sea.over");

/* The holder has ended. */
void sea_over(void) {
  ended[holder] = 1;
  next_turn(holder);
  leave(EXIT_BLOCKED);
}

u32 sea_ended(u32 thread) __asm__("sea.ended");

u32 sea_ended(u32 thread) { return thread < MOST && ended[thread]; }

void sea_begin_thread(u32 thread, void (*body)(void)) __asm__("sea.begin_thread");

/* Make a thread, whose first step begins `body`; that never returns. */
void sea_begin_thread(u32 thread, void (*body)(void)) {
  if (thread == 0 || thread >= MOST || stacks[thread] != 0 || ended[thread]) leave(EXIT_BLOCKED);
  word *top = (word *)(RUN->stack - (word)thread * OWN_STACK);
  top[-2] = 0;           /* where `body` would return to: the stack is aligned as after a call */
  top[-3] = (word)body;
  for (int k = 0; k < SAVED; k++) top[-4 - k] = 0;
  stacks[thread] = (word)(top - 3 - SAVED);
}
