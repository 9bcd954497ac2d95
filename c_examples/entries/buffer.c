// a library without a main function: get() is right, put() forgets to look at the length
#include <stddef.h>

struct buffer {
  unsigned char *data;
  size_t length;
};

int get(const struct buffer *buffer, size_t index) {
  if (buffer == NULL || buffer->data == NULL)
    return -1;
  return index < buffer->length ? buffer->length != 0 : -1;
}

int put(struct buffer *buffer, size_t index, unsigned char value) {
  if (buffer == NULL || buffer->data == NULL)
    return -1;
  buffer->data[index] = value;
  return 0;
}
