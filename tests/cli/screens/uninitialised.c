// sea-py pf: an option other than -q and -v leaves `level` without a value
#include <stdio.h>
#include <string.h>

static int level_of(const char *option) {
  int level;
  if (strcmp(option, "-q") == 0)
    level = 0;
  else if (strcmp(option, "-v") == 0)
    level = 2;
  return level;
}

static void say(int level, const char *text) {
  if (level > 0)
    puts(text);
}

int main(int argc, char **argv) {
  int level = 1;
  for (int k = 1; k < argc; k++)
    level = level_of(argv[k]);
  say(level, "hello");
  return 0;
}
