/* What the sources of the real C library are compiled with: everything of theirs is static but what
   the table of contracts has, since a program may define a function of any other name.

   `sea.claim.chosen.f`: what `f` does from here on is the choice of each library: no proof and no
   error rests on what the source does. */
#ifndef SEA_SHIM_H
#define SEA_SHIM_H

#include <ctype.h>
#include <features.h>
#undef weak_alias
#define weak_alias(old, new) /* of the same name in the language of this file */

#undef isdigit
#define isdigit(c) ((unsigned)(c) - '0' < 10)

#define UNKNOWN(name, of) void name(void) __asm__("sea.claim.chosen." of)
#define ANY(type, name, of) type name(void) __asm__("sea.any." of "." #name)
#define USES(name, functions) _Bool name(void) __asm__("sea.uses." functions)

#define ___errno_location __errno_location

struct _IO_FILE;

/* Files here are buffers of one call, which no other thread sees. */
#define __lockfile locked
#define __unlockfile unlocked
static int locked(struct _IO_FILE *file) { return 0; }
static void unlocked(struct _IO_FILE *file) {}

/* Numbers are written with a point in the locale "C"; in others the library decides. */
USES(has_locales, "setlocale.uselocale");
extern _Bool is_foreign __asm__("sea.locale.foreign");

#endif
