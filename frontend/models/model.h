/* What the models of the C library share.

   A model is the plain C meaning of a function: it is compiled like the program, so that proof,
   interpreter and native run all see the same code.  A model calls no function of the C library
   except for memory, since a program may define any of them: what models share is static.
   `sea.any.f.x` is an arbitrary value that the function `f` of the environment gives. */
#ifndef SEA_MODEL_H
#define SEA_MODEL_H

typedef __SIZE_TYPE__ size_t;
typedef __INTPTR_TYPE__ ssize_t;
typedef unsigned char byte;

#define NULL ((void *)0)
#define ANY(type, name, of) type name(void) __asm__("sea.any." of "." #name)
#define ANY_BYTES(name, of) void name(void *, size_t) __asm__("sea.any." of "." #name)

enum { ENOENT = 2, ENOMEM = 12, EINVAL = 22, ERANGE = 34 };

void __VERIFIER_assume(int);
int *__errno_location(void);
void *malloc(size_t);
void *calloc(size_t, size_t);
void *realloc(void *, size_t);
void *aligned_alloc(size_t, size_t);

static inline int failed(int reason, int result) {
  *__errno_location() = reason;
  return result;
}

static inline void *nothing(int reason) {
  *__errno_location() = reason;
  return NULL;
}

#endif
