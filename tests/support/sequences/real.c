/* A program of a real library: each sequence in a process and files of its own.

   usage: real INPUT OUTPUT, in an empty folder.  A sequence in INPUT is the number of its words, what
   standard input and output are, the texts of two files, and the words of `sequence`.  In OUTPUT it
   is the number of its words, whether it came to its end, and words of what was seen in pairs. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 8, MOST = 1 << 16, SECONDS = 5 };
enum { CALL, SHOW, TELL };

void sequence(void);

static unsigned long *input, *seen; /* `seen` is shared: the count, the end, and pairs */
static unsigned long next;

unsigned long sequence_word(void) { return input[next++]; }

static void note(unsigned long kind, unsigned long x) {
  if (seen[0] + 2 > MOST) _exit(3);
  seen[2 + seen[0]] = kind;
  seen[3 + seen[0]] = x;
  seen[0] += 2;
}
void sequence_call(unsigned long x) { note(CALL, x); }
void sequence_show(unsigned long x) { note(SHOW, x); }
void sequence_tell(unsigned long x) { note(TELL, x); }

static void write_file(const char *name, const void *text) {
  int file = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(file, text, strlen(text)) < 0) _exit(4);
  close(file);
}

static void put(int file, int as) {
  if (file == as) return;
  dup2(file, as);
  close(file);
}

static void open_input(unsigned long kind, const char *text) {
  int ends[2];
  switch (kind) {
    case 1: put(open("folder", O_RDONLY), 0); break;
    case 2: put(open("input", O_WRONLY), 0); break;
    case 3: put(open("empty", O_RDONLY | O_CREAT | O_TRUNC, 0600), 0); break;
    case 4:
      if (pipe(ends) != 0 || write(ends[1], text, strlen(text)) < 0) _exit(4);
      close(ends[1]);
      put(ends[0], 0);
      break;
    default: put(open("input", O_RDONLY), 0);
  }
}

static void open_output(unsigned long kind) {
  int ends[2];
  switch (kind) {
    case 1: put(open("/dev/full", O_WRONLY), 1); break;
    case 2: put(open("input", O_RDONLY), 1); break;
    case 3:
      if (pipe(ends) != 0) _exit(4);
      close(ends[0]);
      put(ends[1], 1);
      break;
    default: put(open("output", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
  }
}

static void remove_all(void) {
  static const char *const names[] = {"one", "two", "none", "folder", "input", "output", "empty"};
  for (int i = 0; i < 7; i++)
    if (unlink(names[i]) != 0) rmdir(names[i]);
}

static void prepare(const unsigned long *given) {
  char texts[2][TEXT * 8 + 1] = {{0}};
  memcpy(texts[0], given + 2, TEXT * 8);
  memcpy(texts[1], given + 2 + TEXT, TEXT * 8);
  write_file("input", texts[0]);
  write_file("one", texts[1]);
  write_file("two", texts[0]);
  mkdir("folder", 0700);
  open_input(given[0], texts[0]);
  open_output(given[1]);
}

static void child(const unsigned long *given) {
  alarm(SECONDS);
  signal(SIGPIPE, SIG_IGN);
  prepare(given);
  next = (unsigned long)(given - input) + 2 + 2 * TEXT;
  clearenv();
  setenv("PATH", "/usr/bin:/bin", 1);
  setenv("ONE", "a value", 1);
  setenv("TWO", "", 1);
  sequence();
  seen[1] = 1;
  _exit(0);
}

static void *mapped(const char *name) {
  struct stat about;
  int file = open(name, O_RDONLY);
  if (file < 0 || fstat(file, &about) != 0) exit(2);
  return mmap(0, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  input = mapped(arguments[1]);
  FILE *output = fopen(arguments[2], "w");
  int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 2);
  seen = mmap(0, (MOST + 2) * sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (unsigned long *at = input + 1, left = input[0]; left > 0; left--, at += at[0] + 1) {
    seen[0] = seen[1] = 0;
    fflush(output);
    int one = fork();
    if (one == 0) child(at + 1);
    waitpid(one, 0, 0);
    fwrite(seen, sizeof *seen, seen[0] + 2, output);
    remove_all();
  }
  return fclose(output) != 0;
}
