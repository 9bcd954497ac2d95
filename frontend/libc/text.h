/* Functions of strings that the sources of the library use, which a program may define itself; after
   the headers that declare them. */
#include <string.h>

static inline size_t length_of(const char *text) {
  size_t n = 0;
  while (text[n] != 0) n++;
  return n;
}

static inline size_t length_up_to(const char *text, size_t limit) {
  size_t n = 0;
  while (n < limit && text[n] != 0) n++;
  return n;
}

static inline int order_of(const char *left, const char *right, size_t limit) {
  size_t i = 0;
  while (i < limit && left[i] == right[i] && left[i] != 0) i++;
  return i < limit ? (unsigned char)left[i] - (unsigned char)right[i] : 0;
}

static inline int order_of_bytes(const void *left, const void *right, size_t size) {
  const unsigned char *one = left, *other = right;
  size_t i = 0;
  while (i < size && one[i] == other[i]) i++;
  return i < size ? one[i] - other[i] : 0;
}

static inline char *place_of(const char *text, int wanted) {
  while (*text != 0 && *text != (char)wanted) text++;
  return *text == (char)wanted ? (char *)text : 0;
}

static inline char *copy_of(char *target, const char *source) {
  return (char *)__builtin_memcpy(target, source, length_of(source) + 1);
}

#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef memcmp
#undef strchr
#undef strcpy
#define strlen length_of
#define strnlen length_up_to
#define strcmp(left, right) order_of(left, right, ~(size_t)0)
#define strncmp order_of
#define memcmp order_of_bytes
#define strchr place_of
#define strcpy copy_of
#define memcpy __builtin_memcpy
#define memmove __builtin_memmove
#define memset __builtin_memset
