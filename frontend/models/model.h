/* What the models of the C library share.

   A model is the plain C meaning of a function.  It is compiled like the program, so that proof,
   interpreter and native run see the same code.  A model calls no function of the C library but
   those for memory, since a program may define any of them; so what models share is static.
   `sea.any.f.x` is an arbitrary value from the environment, for the function `f`. */
#ifndef SEA_MODEL_H
#define SEA_MODEL_H

typedef __SIZE_TYPE__ size_t;
typedef __INTPTR_TYPE__ ssize_t;
typedef unsigned char byte;

#define NULL ((void *)0)
#define ANY(type, name, of) type name(void) __asm__("sea.any." of "." #name)
#define ANY_BYTES(name, of) void name(void *, size_t) __asm__("sea.any." of "." #name)

/* From here on the model does not know what the function does.  A proof holds for anything that it
   may do, and no error rests on a run that comes here. */
#define UNKNOWN(name, of) void name(void) __asm__("sea.claim.known." of)

/* Whether the program refers to one of the functions; `functions` has dots between their names.
   `__sea_no_deadlock` among them holds where deadlocks are looked for. */
#define USES(name, functions) _Bool name(void) __asm__("sea.uses." functions)

/* Whether lines have a greatest length, and what that is: the characters before the end of a line. */
USES(lines_are_short, "__sea_line_length");
size_t line_length(void) __asm__("sea.line.length");

/* False in every run.  A proof may take it to be true (`passes.loosely`); then a model gives every
   outcome that it gives otherwise, and more, at less cost: where it would look at characters one by
   one, it may stop at any.  It reads at least what it would read otherwise. */
extern _Bool is_loose __asm__("sea.loose");

/* Claims: what a function demands of its caller though its model does not need it, such as that bytes
   can be read or written, or that a result fits its type.  A claim becomes a check if a property asks
   for it, and nothing otherwise. */
void claim_readable(const void *, size_t) __asm__("sea.claim.readable");
void claim_writable(void *, size_t) __asm__("sea.claim.writable");
void claim_fits(_Bool) __asm__("sea.claim.fits");

/* The claim that a model has room for what a run needs; no proof stands if it may not have. */
#define CLAIM_ROOM(name, of) void name(_Bool) __asm__("sea.claim.room." of)

/* The claim that a string can be read up to its end. */
static inline void claim_text(const char *text) __asm__("sea.claim.text");
static inline void claim_text(const char *text) {
  while (*text != 0) text++;
}

/* The number of characters of a text of the environment.  The text lies at the end of its room, so
   that nothing can be read behind it.  Drawn lengths beyond the room stand for short ones. */
static inline size_t text_size(unsigned length, size_t room) {
  return length < room ? length : length % 64;
}

/* Numbers of Linux on x86. */
enum {
  EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, EIO = 5, ENXIO = 6, EBADF = 9, EAGAIN = 11, ENOMEM = 12,
  EACCES = 13, EFAULT = 14, EBUSY = 16, EEXIST = 17, ENODEV = 19, ENOTDIR = 20, EISDIR = 21,
  EINVAL = 22, ENFILE = 23, EMFILE = 24, ENOTTY = 25, ETXTBSY = 26, EFBIG = 27, ENOSPC = 28,
  ESPIPE = 29, EROFS = 30, EPIPE = 32, EDOM = 33, ERANGE = 34, ENAMETOOLONG = 36, ELOOP = 40,
  EOVERFLOW = 75, EILSEQ = 84, ENOBUFS = 105, ENOTCONN = 107, ETIMEDOUT = 110, ECONNRESET = 104, EDEADLK = 35, ENOTSUP = 95,
  EDQUOT = 122, EXDEV = 18, ENOTEMPTY = 39, EDESTADDRREQ = 89, EMLINK = 31, ENOTSOCK = 88,
  EMSGSIZE = 90, EOPNOTSUPP = 95, EADDRINUSE = 98, ENETUNREACH = 101, EISCONN = 106,
  EAFNOSUPPORT = 97, EPROTONOSUPPORT = 93, EPROTOTYPE = 91, EADDRNOTAVAIL = 99,
  ECONNREFUSED = 111, EINPROGRESS = 115, ECHILD = 10, E2BIG = 7, ENOEXEC = 8
};

void __VERIFIER_assume(int);
int *__errno_location(void);
void *malloc(size_t);
void free(void *);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);

/* The table of open descriptors: see descriptors.c.  Streams and directories are in it where the program
   refers to a function that tells or takes a descriptor. */
#define DESCRIPTORS                                                                                \
  "open.open64.creat.close.dup.dup2.pipe.socket.accept.mkstemp.fileno.fdopen.fdopendir.read.write"
int taken_descriptor(int wanted) __asm__("sea.descriptor.taken");
void descriptor_is_closed(int number) __asm__("sea.descriptor.closed");
void descriptor_is_open(int number) __asm__("sea.descriptor.open");
_Bool is_bad_descriptor(int number) __asm__("sea.descriptor.bad");   /* it is not open */
_Bool is_good_descriptor(int number) __asm__("sea.descriptor.good"); /* it is known to be open */

static inline int failed(int reason, int result) {
  *__errno_location() = reason;
  return result;
}

static inline void *nothing(int reason) {
  *__errno_location() = reason;
  return NULL;
}

/* One of four reasons, chosen by an arbitrary number; below, one of eight. */
static inline int one_of_4(byte k, int a, int b, int c, int d) {
  if (k == 0) return a;
  if (k == 1) return b;
  return k == 2 ? c : d;
}

static inline int one_of_8(byte k, int a, int b, int c, int d, int e, int f, int g, int h) {
  return k < 4 ? one_of_4(k, a, b, c, d) : one_of_4((byte)(k - 4), e, f, g, h);
}

#endif
