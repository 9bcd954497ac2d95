/* Tables, trees and lists to search in (POSIX, search.h): the sources of the library. */
#define _GNU_SOURCE
#include "shim.h"
#define __tsearch_balance balance
static int balance(void **);
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include "text.h"

ANY(_Bool, is_full, "hsearch");
ANY(_Bool, is_told, "hsearch");
UNKNOWN(second_table, "hcreate");

#define hcreate create
#define hdestroy destroy
#define hsearch look_up
static int create(size_t);
static void destroy(void);
static ENTRY *look_up(ENTRY, ACTION);
#include "search/hsearch.c"
#undef hcreate
#undef hdestroy
#undef hsearch

static size_t room, held;

/* A table has room for as many as it was made for; a library may let it grow. */
int hcreate(size_t count) {
  if (htab.__tab != 0) second_table();
  room = count;
  held = 0;
  return create(count);
}

void hdestroy(void) { destroy(); }

ENTRY *hsearch(ENTRY item, ACTION action) {
  ENTRY *found = look_up(item, FIND);
  if (found != 0) return found;
  if (action == FIND) {
    if (is_told()) errno = ESRCH;
    return 0;
  }
  if (held >= room && is_full()) {
    errno = ENOMEM;
    return 0;
  }
  held++;
  return look_up(item, ENTER);
}

#include "search/lsearch.c"
/* Each of the sources declares a node by itself. */
#include "search/tsearch.c"
#define node node_found
#include "search/tfind.c"
#undef node
#define node node_deleted
#include "search/tdelete.c"
#undef node
#define node node_destroyed
#include "search/tdestroy.c"
#undef node
#define node node_visited
#include "search/twalk.c"
