// sea-py pf: find() may return NULL, which the caller forgets
#include <stdio.h>
#include <string.h>

struct user {
  const char *name;
  int age;
};

static struct user users[] = {
    {"ada", 36},
    {"alan", 41},
    {"grace", 85},
};

static struct user *find(const char *name) {
  for (unsigned k = 0; k < sizeof users / sizeof users[0]; k++) {
    if (strcmp(users[k].name, name) == 0)
      return &users[k];
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  struct user *found = find(argv[1]);
  printf("%d\n", found->age);
  return 0;
}
