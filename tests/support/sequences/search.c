/* Whether the models can give what a real library gave: a search over the choices that they make.

   Freestanding, linked with a lowered program in the place of the run time's entry and inputs.  From
   descriptor 0 come: the mode, the seed, the planted fault, the number of sites and how each of them
   chooses, and sequences: the number of input words, these, the number of words that were seen, these.  To descriptor
   1 goes for each sequence: the number of further words, how it ended, how many attempts were made, and
   in the mode SEARCH the call that went furthest, what it had to show and what it showed; in the mode
   DRAW what was shown, in pairs as in `real.c`.

   An attempt is a process.  The choices of the last one are advanced, the last first, until all that
   is shown agrees; those that a call needs are guessed first from what the real one told. */
#include "system.h"

enum { SEARCH, DRAW };
enum { CALL, SHOW, TELL };
enum { FOUND, NOT_FOUND, TOO_LONG };
/* How a site chooses; of a number the bits above 8 say how far it is shifted first. */
enum { INPUT, NO_FIRST, YES_FIRST, MORE, BYTE, REASON, NUMBER, GO_ON, PLANTED, ZERO, NOT_NULL, LAST, TABLE, RESULT };
enum { MOST = 1 << 15, CANDIDATES = 64, ATTEMPTS = 300, REASONS = 32, KINDS = 4096, FIRST_TOLD = 6 };
enum { SYS_read = 0, PROT_READ_WRITE = 3, MAP_SHARED_ANONYMOUS = 0x21, MAP_PRIVATE_ANONYMOUS = 0x22 };
enum { SAME = 0, OTHER = 98 };

struct value {
  u64 low, high;
};

/* What the attempts of one sequence share. */
struct shared {
  u64 choices, furthest, call, wanted, got, which, made; /* `made`: choices of one candidate too */
  u32 index[MOST], count[MOST];
  u64 seen, pairs[2 * MOST];
};

static struct shared *shared;
static u64 mode, seed, random_state, fault, ways;
static u64 way[KINDS];
static const u64 *input, *record, *record_end;
static u64 shows[MOST], tells[MOST], show_count, tell_count, next_show, next_byte, next_number;
static u64 at_choice, at_call, which_call;

extern void program(void) __asm__("sea.main");

/* ------------------------------------------------------------------------------ what is shown */

static __attribute__((noreturn)) void differ(u64 wanted, u64 got) {
  u64 reached = at_call * MOST + next_show;
  if (reached > shared->furthest) {
    shared->furthest = reached;
    shared->call = at_call;
    shared->which = which_call;
    shared->wanted = wanted;
    shared->got = got;
  }
  leave(OTHER);
}

static void note(u64 kind, u64 x) {
  if (shared->seen + 2 > 2 * MOST) leave(OTHER);
  shared->pairs[shared->seen++] = kind;
  shared->pairs[shared->seen++] = x;
}

static void end_call(void) {
  if (mode == SEARCH && next_show != show_count) differ(shows[next_show], ~0ull);
}

/* Take what the real library showed of the next call. */
void sequence_call(u64 which) {
  end_call();
  at_call++;
  which_call = which;
  show_count = tell_count = next_show = next_byte = next_number = 0;
  if (mode == DRAW) {
    note(CALL, which);
    return;
  }
  if (record == record_end || record[1] != which) differ(which, which);
  for (record += 2; record < record_end && record[0] != CALL; record += 2)
    if (record[0] == SHOW)
      shows[show_count++] = record[1];
    else
      tells[tell_count++] = record[1];
}

void sequence_show(u64 x) {
  if (mode == DRAW) {
    note(SHOW, x);
    return;
  }
  if (next_show == show_count) differ(~0ull, x);
  if (shows[next_show] != x) differ(shows[next_show], x);
  next_show++;
}

/* -------------------------------------------------------------------------------- choices */

static u64 random64(void) {
  u64 x = random_state += 0x9e3779b97f4a7c15ull; /* Splitmix64 (Steele, Lea, Flood 2014) */
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static u32 add(u64 *found, u32 count, u64 x, u64 mask) {
  x &= mask;
  for (u32 i = 0; i < count; i++)
    if (found[i] == x) return count;
  if (count == CANDIDATES) return count;
  found[count] = x;
  return count + 1;
}

/* A number of the call as models derive it from a choice: as it is, or without its lowest bits. */
static u32 add_number(u64 *found, u32 count, u64 x, u64 mask) {
  count = add(found, count, x, mask);
  count = add(found, count, x << 1, mask);
  count = add(found, count, x << 2, mask);
  count = add(found, count, x << 16, mask);
  count = add(found, count, x + 9, mask);
  return add(found, count, (x + 1) << 33, mask);
}

static u32 numbers(u64 *found, u64 mask, u64 shift) {
  u32 count = 0;
  if (next_number < tell_count) count = add(found, count, tells[next_number] << shift, mask);
  if (show_count > 0) count = add(found, count, shows[0] << shift, mask);
  if (next_number < tell_count) count = add_number(found, count, tells[next_number], mask);
  if (show_count > 0) count = add_number(found, count, shows[0], mask);
  if (show_count > 1) count = add_number(found, count, shows[1], mask);
  if (tell_count > 0) count = add_number(found, count, tells[tell_count - 1], mask);
  for (u32 i = 0; i < tell_count && i < FIRST_TOLD; i++) count = add_number(found, count, tells[i], mask);
  next_number++;
  count = add(found, count, 0, mask);
  return add(found, count, 1, mask);
}

static u32 candidates(u64 how, u64 part, u64 *found, u64 mask) {
  int more;
  switch (how & 255) {
    case NO_FIRST: found[0] = 0, found[1] = 1; return 2;
    case YES_FIRST:
      more = show_count == 0 || shows[0] + 1 != 0;
      found[0] = more, found[1] = !more;
      return 2;
    case NOT_NULL:
      more = show_count == 0 || shows[0] != 0;
      found[0] = more, found[1] = !more;
      return 2;
    case MORE:
      more = next_byte < tell_count;
      found[0] = !more, found[1] = more;
      return 2;
    case BYTE: found[0] = next_byte < tell_count ? tells[next_byte] : 0; next_byte++; return 1;
    case REASON:
      for (u32 i = 0; i < REASONS; i++) found[i] = i;
      return REASONS;
    case NUMBER: return numbers(found, mask, how >> 8);
    case GO_ON: found[0] = 1; return 1;
    case RESULT:
      found[0] = show_count > 0 ? shows[0] : 0, found[1] = 0;
      return 2;
    case TABLE: found[0] = tell_count > 0 ? tells[0] >> 8 * part : 0; return 1;
    case LAST:
      found[0] = tell_count > 0 ? tells[tell_count - 1] << (how >> 8) & mask : 0, found[1] = 0;
      return found[0] == 0 ? 1 : 2;
    default: found[0] = 0; return 1;
  }
}

static u64 drawn(u64 how, u64 mask) {
  u64 x = random64();
  switch (how & 255) {
    case NO_FIRST:
    case NOT_NULL:
    case YES_FIRST: return x & 1;
    case MORE: return x % 4 == 0;
    case BYTE: return x % 2 ? "ab 01\n-x"[x / 2 % 8] : (x >> 8) & 255;
    case REASON: return x % REASONS;
    case GO_ON:
    case ZERO: return 0;
    default: return (x & 3 ? x >> 8 & 31 : x) & mask;
  }
}

/* `part`: which byte of a word of four it is. */
static u64 chosen(u64 how, u64 part, u64 mask) {
  u64 found[CANDIDATES];
  shared->made++;
  if (mode == DRAW) return drawn(how, mask);
  u32 count = candidates(how, part, found, mask);
  if (count == 1) return found[0] & mask;
  if (at_choice == MOST) leave(OTHER);
  if (at_choice == shared->choices) {
    shared->index[at_choice] = 0;
    shared->count[at_choice] = count;
    shared->choices++;
  }
  return found[shared->index[at_choice++]];
}

/* ------------------------------------------------------- what a lowered program is linked with */

void sea_read(u32 site, u32 kind, struct value *out) __asm__("sea.read");
void sea_read(u32 site, u32 kind, struct value *out) {
  out->high = 0;
  u64 mask = kind >= 64 ? ~0ull : (1ull << kind) - 1;
  u64 how = site < ways ? way[site] : NUMBER;
  out->low = how == INPUT ? *input++ : how == PLANTED ? fault : chosen(how, 0, mask);
}

void sea_havoc(u8 *target, word size, u32 site) __asm__("sea.havoc");
void sea_havoc(u8 *target, word size, u32 site) {
  for (word i = 0; i < size; i++) target[i] = (u8)chosen(site < ways ? way[site] : BYTE, i % 4, 255);
}

/* Models check whether they have room. */
void sea_check(u32 bit, u32 number) __asm__("sea.check");
void sea_check(u32 bit, u32 number) { (void)bit, (void)number; }

void sequence_end(void) {
  end_call();
  if (mode == SEARCH && record != record_end) differ(record[1], 0);
  leave(SAME);
}

void sea_assume(u32 bit) __asm__("sea.assume");
void sea_assume(u32 bit) {
  if (!(bit & 1)) differ(1, 0);
}
void sea_defined(u32 bit) __asm__("sea.defined");
void sea_defined(u32 bit) {
  if (!(bit & 1)) differ(2, 0);
}
void sea_stop(void) __asm__("sea.stop");
void sea_stop(void) { differ(3, 0); }
void sea_undefined(void) __asm__("sea.undefined");
void sea_undefined(void) { differ(4, 0); }
/* Nobody watches memory here. */
void watch_block(const void *block, word size) __asm__("sea.watch_block");
void watch_block(const void *block, word size) {}
void watch_free(const void *block) __asm__("sea.watch_free");
void watch_free(const void *block) {}

void sea_scope(const u8 *address, u32 live) __asm__("sea.scope");
void sea_scope(const u8 *address, u32 live) { (void)address, (void)live; }

/* -------------------------------------------------------------------------------- the search */

static int attempt(void) {
  s32 status = 0;
  shared->seen = 0;
  long child = system_call(SYS_fork, 0, 0, 0, 0);
  if (child == 0) {
    word timer[4] = {0, 0, 2, 0};
    system_call(SYS_setitimer, ITIMER_PROF, (word)timer, 0, 0);
    program();
    leave(OTHER);
  }
  system_call(SYS_wait4, (word)child, (word)&status, 0, 0);
  return status == SAME << 8;
}

/* The next choices in the order of the search; 0 if there are none. */
static int advance(void) {
  u64 n = shared->choices;
  while (n > 0 && shared->index[n - 1] + 1 >= shared->count[n - 1]) n--;
  shared->choices = n;
  if (n > 0) shared->index[n - 1]++;
  return n > 0;
}

static void put_words(const u64 *words, u64 count) {
  const char *at = (const char *)words;
  word left = count * sizeof *words;
  while (left > 0) {
    long done = system_call(SYS_write, 1, (word)at, left, 0);
    if (done <= 0) leave(5);
    at += done;
    left -= (word)done;
  }
}

static void search(void) {
  u64 attempts = 0, result = NOT_FOUND;
  shared->choices = shared->furthest = shared->call = shared->wanted = shared->got = shared->which = 0;
  for (;;) {
    attempts++;
    if (attempt()) result = FOUND;
    if (result == FOUND || !advance()) break;
    if (attempts == ATTEMPTS) {
      result = TOO_LONG;
      break;
    }
  }
  u64 words[] = {6, result, attempts, shared->call, shared->which, shared->wanted, shared->got};
  put_words(words, 7);
}

static void draw(u64 number) {
  random_state = seed * 1000003 + number;
  u64 ended = attempt() ? FOUND : NOT_FOUND;
  u64 words[] = {2 + shared->seen, ended, 1};
  put_words(words, 3);
  put_words(shared->pairs, shared->seen);
}

static void *map(word size, word flags) {
  long result;
  register word fourth __asm__("r10") = flags;
  register word fifth __asm__("r8") = ~(word)0;
  register word sixth __asm__("r9") = 0;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_mmap), "D"(0), "S"(size), "d"(PROT_READ_WRITE), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return (void *)result;
}

static const u64 *whole_input(void) {
  word room = 256u << 20, size = 0;
  char *text = map(room, MAP_PRIVATE_ANONYMOUS);
  for (;;) {
    long got = system_call(SYS_read, 0, (word)text + size, room - size, 0);
    if (got <= 0) return (const u64 *)text;
    size += (word)got;
  }
}

__asm__(".globl search.start\nsearch.start:\n\txorl %ebp, %ebp\n\tandq $-16, %rsp\n\tcall search.begin\n");
__attribute__((noreturn, used)) void begin(void) __asm__("search.begin");
void begin(void) {
  const u64 *at = whole_input();
  shared = map(sizeof *shared, MAP_SHARED_ANONYMOUS);
  mode = at[0], seed = at[1], fault = at[2], ways = at[3];
  at += 4;
  if (ways > KINDS) leave(6);
  for (u64 i = 0; i < ways; i++) way[i] = *at++;
  for (u64 number = 0, count = *at++; number < count; number++) {
    input = at + 1;
    at += at[0] + 1;
    record = at + 1;
    record_end = record + at[0];
    at += at[0] + 1;
    if (mode == SEARCH)
      search();
    else
      draw(number);
  }
  leave(0);
}
