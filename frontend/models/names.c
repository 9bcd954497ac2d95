/* Small functions of POSIX: libgen.h with the basename of GNU, the lists of search.h, swab. */
#include "model.h"

UNKNOWN(two_slashes, "dirname");
ANY(_Bool, is_own, "dirname");

static size_t length(const char *text) {
  size_t n = 0;
  while (text[n] != 0) n++;
  return n;
}

static char dot[] = ".", slash[] = "/";

char *last_part(char *path) __asm__("__xpg_basename");
char *last_part(char *path) {
  if (path == NULL || *path == 0) return dot;
  size_t end = length(path);
  while (end > 1 && path[end - 1] == '/') path[--end] = 0;
  while (end > 1 && path[end - 2] != '/') end--;
  return path + (end > 0 ? end - 1 : 0);
}

/* The basename of GNU does not change the path. */
char *basename(const char *path) {
  const char *found = path;
  for (; *path != 0; path++)
    if (*path == '/') found = path + 1;
  return (char *)found;
}

/* The system decides what two slashes at the beginning mean. */
static _Bool begins_with_two(const char *path) {
  return path[0] == '/' && path[1] == '/' && path[2] != '/';
}

char *dirname(char *path) {
  if (path == NULL || *path == 0) return dot;
  if (begins_with_two(path)) {
    two_slashes();
    if (is_own()) return path;
  }
  size_t end = length(path);
  while (end > 0 && path[end - 1] == '/') end--;
  if (end == 0) return slash;
  while (end > 0 && path[end - 1] != '/') end--;
  if (end == 0) return dot;
  while (end > 0 && path[end - 1] == '/') end--;
  if (end == 0) return slash;
  path[end] = 0;
  return path;
}

struct element {
  struct element *next, *previous;
};

void insque(void *element, void *before) {
  struct element *new = element, *old = before;
  if (old == NULL) {
    new->next = new->previous = NULL;
    return;
  }
  new->next = old->next;
  new->previous = old;
  old->next = new;
  if (new->next != NULL) new->next->previous = new;
}

void remque(void *element) {
  struct element *old = element;
  if (old->next != NULL) old->next->previous = old->previous;
  if (old->previous != NULL) old->previous->next = old->next;
}

/* For an odd number of bytes, the library decides about the last byte. */
void swab(const void *restrict source, void *restrict target, ssize_t size) {
  if (size <= 1) return;
  claim_readable(source, (size_t)size);
  claim_writable(target, (size_t)size);
  const byte *from = source;
  byte *to = target;
  for (ssize_t i = 0; i + 1 < size; i += 2) {
    byte kept = from[i + 1];
    to[i + 1] = from[i];
    to[i] = kept;
  }
}
