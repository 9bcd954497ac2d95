// sea-py pf: width * height * 4 does not fit into an unsigned int
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned read_number(void) {
  unsigned char bytes[4];
  if (fread(bytes, 1, 4, stdin) != 4)
    exit(1);
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | (unsigned)bytes[3] << 24;
}

struct image {
  uint32_t width, height;
  unsigned char *pixels;
};

static int make(struct image *image) {
  image->width = read_number();
  image->height = read_number();
  if (image->width == 0 || image->height == 0)
    return -1;
  image->pixels = malloc(image->width * image->height * 4);
  return image->pixels == NULL ? -1 : 0;
}

int main(void) {
  struct image image;
  if (make(&image) != 0)
    return 1;
  image.pixels[(size_t)image.width * 4 - 1] = 255;
  free(image.pixels);
  return 0;
}
