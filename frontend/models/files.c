/* Files by their names and descriptors, directories, processes and sockets (POSIX; Linux on x86): the
   environment is arbitrary, and each failure has a reason. */
#include "model.h"

ANY(_Bool, succeeds, "stat");
ANY(byte, any_reason, "stat");
ANY(byte, any_type, "stat");
ANY(unsigned, any_number, "stat");
ANY(unsigned long, any_size, "stat");
ANY_BYTES(any_status, "stat");
ANY_BYTES(any_text, "getcwd");
ANY(unsigned, any_length, "getcwd");
ANY(byte, any_letter, "mkstemp");
ANY_BYTES(any_entry, "readdir");
ANY_BYTES(any_user, "getpwnam");
ANY(_Bool, is_there, "readdir");
ANY(_Bool, all_sent, "send");
ANY(unsigned short, any_events, "poll");
ANY(unsigned long, any_set, "select");
ANY_BYTES(any_message, "recv");
ANY_BYTES(any_address, "accept");
ANY_BYTES(any_random, "getrandom");
ANY_BYTES(any_limits, "getrlimit");
UNKNOWN(message_is_unknown, "recv");
UNKNOWN(order_is_unknown, "pipe");
USES(accepts, "accept.accept4");
USES(connects, "connect");
USES(has_pipes, "pipe.pipe2.socketpair");
USES(tells_descriptors, DESCRIPTORS);

/* ---------------------------------------------------------------------------------- reasons */

/* A reason of those that functions with a path have. */
static int path_error(void) {
  byte k = any_reason();
  if (k < 8) return one_of_8(k, ENOENT, EACCES, ENOTDIR, ELOOP, ENAMETOOLONG, EIO, ENOMEM, EOVERFLOW);
  if (k < 16) return one_of_8((byte)(k - 8), EEXIST, EROFS, EPERM, ENOSPC, EDQUOT, EBUSY, EMLINK, EXDEV);
  return one_of_8((byte)(k - 16), EINVAL, ENOTEMPTY, EINTR, EMFILE, ENFILE, EISDIR, EBADF, ETXTBSY);
}

static int socket_error(void) {
  byte k = any_reason();
  if (k < 8) return one_of_8(k, EBADF, EINTR, EAGAIN, EINVAL, ENOTCONN, ECONNRESET, ENOBUFS, ENOMEM);
  if (k < 16)
    return one_of_8((byte)(k - 8), ETIMEDOUT, EACCES, EPIPE, ECONNREFUSED, EADDRINUSE, ENOTSOCK, EOPNOTSUPP, EIO);
  if (k >= 24) return one_of_4((byte)(k - 24), EAFNOSUPPORT, EPROTONOSUPPORT, EPROTOTYPE, EADDRNOTAVAIL);
  return one_of_8((byte)(k - 16), EMFILE, ENFILE, ENETUNREACH, EINPROGRESS, EISCONN, EMSGSIZE, EDESTADDRREQ, EFAULT);
}

static int any_descriptor(void) { return taken_descriptor((int)(any_number() >> 1)); }

static int descriptor_or(int reason) {
  return succeeds() ? any_descriptor() : failed(reason, -1);
}

static int zero_or(int reason) { return succeeds() ? 0 : failed(reason, -1); }

#define OF_PATH(name, parameters)                                                                  \
  int name parameters {                                                                            \
    claim_text(path);                                                                              \
    return zero_or(path_error());                                                                  \
  }
OF_PATH(access, (const char *path, int mode))
OF_PATH(eaccess, (const char *path, int mode))
OF_PATH(euidaccess, (const char *path, int mode))
OF_PATH(faccessat, (int folder, const char *path, int mode, int flags))
OF_PATH(chdir, (const char *path))
OF_PATH(chroot, (const char *path))
OF_PATH(rmdir, (const char *path))
OF_PATH(unlinkat, (int folder, const char *path, int flags))
OF_PATH(chown, (const char *path, unsigned user, unsigned group))
OF_PATH(lchown, (const char *path, unsigned user, unsigned group))
OF_PATH(truncate, (const char *path, long size))
OF_PATH(chmod, (const char *path, unsigned mode))
OF_PATH(mkdir, (const char *path, unsigned mode))
OF_PATH(mkfifo, (const char *path, unsigned mode))

#define OF_TWO_PATHS(name)                                                                         \
  int name(const char *path, const char *other) {                                                  \
    claim_text(path);                                                                              \
    claim_text(other);                                                                             \
    return zero_or(path_error());                                                                  \
  }
OF_TWO_PATHS(link)
OF_TWO_PATHS(symlink)

/* ------------------------------------------------------------------------------------- stat */

#ifdef __LP64__
enum { STATUS = 144, MODE = 24, SIZE = 48, BLOCK = 56, BLOCKS = 64, MOMENTS = 72 };
#else
enum { STATUS = 88, MODE = 16, SIZE = 44, BLOCK = 48, BLOCKS = 52, MOMENTS = 56 };
#endif

static void set_status(byte *status) {
  static const byte types[] = {1, 2, 4, 6, 8, 10, 12}; /* the four highest bits of the mode */
  any_status(status, STATUS);
  *(unsigned *)(status + MODE) = (unsigned)types[any_type() % 7] << 12 | (any_number() & 07777);
  *(long *)(status + SIZE) = (long)(any_size() >> 1);
  *(long *)(status + BLOCK) = 1 + (long)(any_size() >> 2);
  *(long *)(status + BLOCKS) = (long)(any_size() >> 1);
  for (unsigned k = 0; k < 3; k++)
    *(long *)(status + MOMENTS + (2 * k + 1) * sizeof(long)) = (long)(any_size() % 1000000000);
}

static int status_of(const char *path, void *status) {
  claim_text(path);
  claim_writable(status, STATUS);
  if (!succeeds()) return failed(path_error(), -1);
  set_status(status);
  return 0;
}

int stat(const char *restrict path, void *restrict status) { return status_of(path, status); }
int lstat(const char *restrict path, void *restrict status) { return status_of(path, status); }

int fstatat(int folder, const char *restrict path, void *restrict status, int flags) {
  return status_of(path, status);
}

int fstat(int descriptor, void *status) {
  claim_writable(status, STATUS);
  if (is_bad_descriptor(descriptor)) return failed(EBADF, -1);
  if (!succeeds()) return failed(one_of_4(any_reason(), EBADF, EIO, EOVERFLOW, ENOMEM), -1);
  set_status(status);
  return 0;
}

/* ------------------------------------------------------------------------------------- texts */

enum { LONGEST = 4096 }; /* PATH_MAX of Linux */

/* A text that fits, behind which nothing is written. */
static char *any_text_in(char *target, size_t size) {
  size_t length = any_length();
  __VERIFIER_assume(length < size);
  any_text(target, length);
  target[length] = 0;
  return target;
}

/* A path from the root. */
static char *any_path(char *target, size_t size) {
  __VERIFIER_assume(size > 1);
  any_text_in(target + 1, size - 1);
  target[0] = '/';
  return target;
}

char *getcwd(char *target, size_t size) {
  if (target != NULL && size > 0) claim_writable(target, size);
  if (target != NULL && size == 0) return nothing(EINVAL);
  if (!succeeds()) return nothing(one_of_4(any_reason(), ERANGE, ENOENT, EACCES, ENOMEM));
  size_t room = size > 0 ? size : LONGEST;
  if (target == NULL) target = malloc(room);
  return target == NULL ? NULL : any_path(target, room);
}

/* The buffer has to have room for any path (POSIX). */
char *realpath(const char *restrict path, char *restrict target) {
  if (path == NULL) return nothing(EINVAL);
  claim_text(path);
  if (target != NULL) claim_writable(target, LONGEST);
  if (!succeeds()) return nothing(path_error());
  if (target == NULL) target = malloc(LONGEST);
  return target == NULL ? NULL : any_path(target, LONGEST);
}

/* No 0 is put behind the text. */
ssize_t readlink(const char *restrict path, char *restrict target, size_t size) {
  claim_text(path);
  if (size > 0) claim_writable(target, size);
  if (size == 0 || !succeeds()) return failed(size == 0 ? EINVAL : path_error(), -1);
  size_t length = any_length();
  __VERIFIER_assume(length <= size);
  any_text(target, length);
  return (ssize_t)length;
}

int gethostname(char *target, size_t size) {
  if (size > 0) claim_writable(target, size);
  if (size == 0 || !succeeds()) return failed(ENAMETOOLONG, -1);
  any_text_in(target, size);
  return 0;
}

static _Bool letters_set(char *template) {
  size_t size = 0;
  while (template[size] != 0) size++;
  for (size_t k = 1; k <= 6; k++)
    if (size < k || template[size - k] != 'X') return 0;
  for (size_t k = 1; k <= 6; k++) {
    byte letter = any_letter();
    __VERIFIER_assume((letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                      (letter >= 'a' && letter <= 'z'));
    template[size - k] = (char)letter;
  }
  return 1;
}

int mkstemp(char *template) {
  return letters_set(template) ? descriptor_or(path_error()) : failed(EINVAL, -1);
}

char *mkdtemp(char *template) {
  if (!letters_set(template)) return nothing(EINVAL);
  return succeeds() ? template : nothing(path_error());
}

/* ------------------------------------------------------------------------------- directories */

/* The text of a name ends in its room; the offsets are those of Linux. */
#ifdef __LP64__
enum { ENTRY = 280, NAME = 19 };
#else
enum { ENTRY = 268, NAME = 11 };
#endif
enum { FOLDERS = 256 };

typedef struct {
  byte entry[ENTRY];
  _Bool ended;
  int descriptor; /* or -1 */
} DIR;

static DIR folders[FOLDERS];
static unsigned opened;

static DIR *opened_folder(int descriptor) {
  unsigned k = opened < FOLDERS ? opened++ : any_number() % FOLDERS;
  folders[k].ended = 0;
  folders[k].descriptor = descriptor;
  return &folders[k];
}

/* A directory may have a descriptor (POSIX). */
DIR *opendir(const char *path) {
  claim_text(path);
  if (!succeeds()) return nothing(path_error());
  return opened_folder(tells_descriptors() && succeeds() ? any_descriptor() : -1);
}

DIR *fdopendir(int descriptor) {
  if (is_bad_descriptor(descriptor)) return nothing(EBADF);
  return succeeds() ? opened_folder(descriptor) : nothing(path_error());
}

/* An error is told by errno alone. */
void *readdir(DIR *folder) {
  claim_readable(folder, sizeof *folder);
  if (folder->ended) return NULL;
  if (!is_there()) {
    folder->ended = succeeds();
    return folder->ended ? NULL : nothing(one_of_4(any_reason(), EBADF, ENOENT, EOVERFLOW, EIO));
  }
  any_entry(folder->entry, ENTRY - 1);
  folder->entry[ENTRY - 1] = 0;
  __VERIFIER_assume(folder->entry[NAME] != 0);
  return folder->entry;
}

void rewinddir(DIR *folder) {
  claim_readable(folder, sizeof *folder);
  folder->ended = 0;
}

int closedir(DIR *folder) {
  claim_readable(folder, sizeof *folder);
  if (tells_descriptors()) descriptor_is_closed(folder->descriptor);
  return zero_or(one_of_4(any_reason(), EBADF, EINTR, EIO, EBADF));
}

/* ------------------------------------------------------------------------------------- users */

enum { TEXT = 1 << 12 };
struct passwd {
  char *name, *password;
  unsigned user, group;
  char *comment, *folder, *shell;
};
static struct passwd found_user;
static char user_texts[5][TEXT];

static char *user_text(unsigned k) {
  any_user(user_texts[k], TEXT - 1);
  return user_texts[k];
}

static struct passwd *any_passwd(void) {
  if (!is_there()) return succeeds() ? NULL : nothing(one_of_8(any_reason(), EINTR, EIO, EMFILE, ENFILE, ENOMEM, ENOENT, ESRCH, EPERM));
  found_user = (struct passwd){user_text(0), user_text(1), any_number(), any_number(),
                               user_text(2), user_text(3), user_text(4)};
  return &found_user;
}

struct passwd *getpwnam(const char *name) {
  claim_text(name);
  return any_passwd();
}

struct passwd *getpwuid(unsigned user) {
  struct passwd *found = any_passwd();
  if (found != NULL) found->user = user;
  return found;
}

/* ----------------------------------------------------------------------------------- sockets */

int pipe(int ends[2]) {
  if (!succeeds()) return failed(one_of_4(any_reason(), EMFILE, ENFILE, EMFILE, ENFILE), -1);
  ends[0] = any_descriptor();
  ends[1] = any_descriptor();
  if (is_there()) { /* Linux gives the end for reading the lower number */
    order_is_unknown();
    int first = ends[0];
    ends[0] = ends[1];
    ends[1] = first;
  }
  return 0;
}

int socket(int domain, int type, int protocol) { return descriptor_or(socket_error()); }
int listen(int descriptor, int count) { return zero_or(socket_error()); }
int shutdown(int descriptor, int how) { return zero_or(socket_error()); }

#define WITH_ADDRESS(name)                                                                         \
  int name(int descriptor, const void *address, unsigned size) {                                   \
    if (size > 0) claim_readable(address, size);                                                   \
    return zero_or(socket_error());                                                                \
  }
WITH_ADDRESS(bind)
WITH_ADDRESS(connect)

int setsockopt(int descriptor, int level, int name, const void *value, unsigned size) {
  if (size > 0) claim_readable(value, size);
  return zero_or(socket_error());
}

/* As much of an address as fits; its size may be larger. */
static void set_address(void *address, unsigned *size) {
  if (address == NULL || size == NULL) return;
  unsigned length = any_number() % 129;
  any_address(address, length < *size ? length : *size);
  *size = length;
}

int accept(int descriptor, void *restrict address, unsigned *restrict size) {
  if (address != NULL && size != NULL && *size > 0) claim_writable(address, *size);
  if (!succeeds()) return failed(socket_error(), -1);
  set_address(address, size);
  return any_descriptor();
}

#define TELLS_ADDRESS(name)                                                                        \
  int name(int descriptor, void *restrict address, unsigned *restrict size) {                      \
    if (*size > 0) claim_writable(address, *size);                                                 \
    if (!succeeds()) return failed(socket_error(), -1);                                            \
    set_address(address, size);                                                                    \
    return 0;                                                                                      \
  }
TELLS_ADDRESS(getsockname)
TELLS_ADDRESS(getpeername)

/* What comes from the program itself is not known, nor what flags beside MSG_DONTWAIT and MSG_NOSIGNAL
   change. */
static ssize_t received(void *block, size_t size, int flags) {
  if (has_pipes() || (accepts() && connects()) || (flags & ~0x4040)) message_is_unknown();
  if (!succeeds() || (ssize_t)size < 0) return failed(socket_error(), -1);
  size_t got = any_size();
  __VERIFIER_assume(got <= size);
  if (got > 0) any_message(block, got);
  return (ssize_t)got;
}

ssize_t recv(int descriptor, void *block, size_t size, int flags) {
  if (size > 0) claim_writable(block, size);
  return received(block, size, flags);
}

ssize_t recvfrom(int descriptor, void *restrict block, size_t size, int flags, void *restrict address,
                 unsigned *restrict room) {
  if (size > 0) claim_writable(block, size);
  if (address != NULL && room != NULL && *room > 0) claim_writable(address, *room);
  ssize_t got = received(block, size, flags);
  if (got >= 0) set_address(address, room);
  return got;
}

static ssize_t sent(const void *block, size_t size) {
  if (size > 0) claim_readable(block, size);
  if (!succeeds() || (ssize_t)size < 0) return failed(socket_error(), -1);
  if (all_sent()) return (ssize_t)size;
  size_t some = any_size();
  __VERIFIER_assume(some < size);
  return (ssize_t)some;
}

ssize_t send(int descriptor, const void *block, size_t size, int flags) { return sent(block, size); }

ssize_t sendto(int descriptor, const void *block, size_t size, int flags, const void *address,
               unsigned room) {
  if (address != NULL && room > 0) claim_readable(address, room);
  return sent(block, size);
}

struct polled {
  int descriptor;
  short events, found;
};

/* What was asked for, or POLLERR, POLLHUP, POLLNVAL; without any the time has passed. */
int poll(struct polled *all, unsigned long count, int time) {
  if (!succeeds()) return failed(one_of_4(any_reason(), EINTR, EINVAL, EAGAIN, ENOMEM), -1);
  int ready = 0;
  for (unsigned long k = 0; k < count; k++) {
    all[k].found = all[k].descriptor < 0 ? 0 : (short)(any_events() & ((unsigned short)all[k].events | 0x38));
    ready += all[k].found != 0;
  }
  return ready == 0 && time < 0 ? failed(EINTR, -1) : ready;
}

static int chosen(unsigned long *set, int count) {
  const int bits = 8 * (int)sizeof *set;
  int ready = 0;
  for (int k = 0; set != NULL && k * bits < count; k++) {
    unsigned long among = count - k * bits >= bits ? ~0ul : (1ul << (count - k * bits)) - 1;
    set[k] = (set[k] & ~among) | (set[k] & among & any_set());
    ready += __builtin_popcountl(set[k] & among);
  }
  return ready;
}

/* Each set becomes a part of itself.  What is left of the time is written by Linux. */
int select(int count, void *restrict reading, void *restrict writing, void *restrict other,
           void *restrict time) {
  if (count < 0 || count > 1024) return failed(EINVAL, -1);
  if (!succeeds()) return failed(one_of_4(any_reason(), EBADF, EINTR, EINVAL, ENOMEM), -1);
  int ready = chosen(reading, count) + chosen(writing, count) + chosen(other, count);
  if (time != NULL) {
    ((long *)time)[0] = (long)(any_size() >> 1);
    ((long *)time)[1] = (long)(any_size() % 1000000);
  }
  return ready == 0 && time == NULL ? failed(EINTR, -1) : ready;
}

/* -------------------------------------------------------------------------- limits and numbers */

ssize_t getrandom(void *block, size_t size, unsigned flags) {
  if (size > 0) claim_writable(block, size);
  if (!succeeds()) return failed(one_of_4(any_reason(), EAGAIN, EINTR, EINVAL, EINVAL), -1);
  size_t got = any_size();
  __VERIFIER_assume(got <= size);
  if (got > 0) any_random(block, got);
  return (ssize_t)got;
}

int getentropy(void *block, size_t size) {
  if (size > 0) claim_writable(block, size);
  if (size > 256 || !succeeds()) return failed(EIO, -1);
  if (size > 0) any_random(block, size);
  return 0;
}

int getrlimit(int name, void *limits) {
  claim_writable(limits, 2 * sizeof(long));
  if (!succeeds()) return failed(EINVAL, -1);
  any_limits(limits, 2 * sizeof(long));
  return 0;
}

int setrlimit(int name, const void *limits) {
  claim_readable(limits, 2 * sizeof(long));
  return zero_or(one_of_4(any_reason(), EINVAL, EPERM, EINVAL, EPERM));
}

/* Six texts of 65 bytes each. */
int uname(void *names) {
  claim_writable(names, 6 * 65);
  if (!succeeds()) return failed(EFAULT, -1);
  any_text(names, 6 * 65);
  for (int k = 1; k <= 6; k++) ((byte *)names)[65 * k - 1] = 0;
  return 0;
}
