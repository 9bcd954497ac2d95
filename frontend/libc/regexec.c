/* Regular expressions that are matched (POSIX, regex.h): the source of the library. */
#define _GNU_SOURCE
#include "regular.h"
#include "regex/regexec.c"
#include "area.h"
