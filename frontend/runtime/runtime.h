/* What the parts of the run time know of each other.  Names with a dot cannot clash with C names. */
#ifndef SEA_RUNTIME_H
#define SEA_RUNTIME_H

#include "protocol.h"

/* Kinds of an input: a width in bits, or one of these. */
enum { KIND_FLOAT = 1001, KIND_DOUBLE = 1002, KIND_X87 = 1003 };

extern struct request *the_request __asm__("sea.request");
extern struct response *the_response __asm__("sea.response");

void inputs_begin(u64 run, u64 first_read) __asm__("sea.inputs_begin");
void draw_begin(u64 seed) __asm__("sea.draw_begin");
void draw(u32 site, u32 kind, struct value *out) __asm__("sea.draw");

void program(void) __asm__("sea.main");

#endif
