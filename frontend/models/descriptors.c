/* The open descriptors of a process (POSIX, 2.6 File Descriptor Allocation): a new one is the lowest
   number that is free.  Which numbers are open at the start is not known. */
#include "model.h"

/* Descriptors of Linux are smaller. */
#ifdef __LP64__
enum { LARGEST = 0x7fffffbf };
#else
enum { LARGEST = 0x3fffffdf };
#endif
enum { NONE = __INT_MAX__ };

UNKNOWN(number_is_unknown, "open");
/* Functions that may close any descriptor. */
USES(closes_any, "closefrom.close_range.syscall");
/* Functions that open descriptors which the table does not see. */
USES(opens_more,
     "fcntl.fcntl64.dup3.pipe2.accept4.socketpair.openat.openat64.openat2.open_by_handle_at.fopen64."
     "freopen64.tmpfile64.creat64.mkstemp64.mkostemp.mkstemps.mkostemps.memfd_create.epoll_create."
     "epoll_create1.eventfd.timerfd_create.signalfd.inotify_init.inotify_init1.fanotify_init.shm_open."
     "mq_open.sem_open.posix_openpt.openpty.forkpty.getpt.rcmd.rcmd_af.rresvport.rresvport_af.recvmsg."
     "recvmmsg.openlog.syslog.vsyslog.getaddrinfo.getnameinfo.gethostbyname.gethostbyname_r."
     "gethostbyname2.gethostbyaddr.getservbyname.getservbyport.getprotobyname.getpwnam.getpwuid."
     "getpwent.setpwent.getpwnam_r.getpwuid_r.getgrnam.getgrgid.getgrent.setgrent.getgrnam_r.getgrgid_r."
     "getgrouplist.initgroups.getspnam.setutent.getutent.setutxent.getutxent.pututxline.getutxid."
     "getlogin.getlogin_r.scandir.scandirat.ftw.ftw64.nftw.nftw64.fts_open.glob.glob64.wordexp.dlopen."
     "iconv_open.catopen.setlocale.dcgettext.gettext.fopencookie.getifaddrs.if_nameindex.if_nametoindex."
     "if_indextoname.io_uring_setup.pidfd_open.perf_event_open.userfaultfd.landlock_create_ruleset");

/* Numbers below `top` are open, except for those that are `vacant`: they are free, in rising order, and
   may lie above `top`, too.  The numbers `high` are open above `top`.  NONE stands for no number. */
static int top, high_0 = NONE, high_1 = NONE;
static int vacant_0 = NONE, vacant_1 = NONE, vacant_2 = NONE, vacant_3 = NONE;
static _Bool is_lost; /* there were too many to follow */

static _Bool is_followed(void) { return !is_lost && !closes_any(); }

static _Bool is_vacant(int number) {
  return number == vacant_0 || number == vacant_1 || number == vacant_2 || number == vacant_3;
}

static _Bool is_high(int number) { return number == high_0 || number == high_1; }

static int lower(int a, int b) { return a < b ? a : b; }
static int higher(int a, int b) { return a < b ? b : a; }

static void add_vacant(int number) {
  int rest_0 = higher(vacant_0, number), rest_1 = higher(vacant_1, rest_0);
  int rest_2 = higher(vacant_2, rest_1), rest_3 = higher(vacant_3, rest_2);
  vacant_0 = lower(vacant_0, number);
  vacant_1 = lower(vacant_1, rest_0);
  vacant_2 = lower(vacant_2, rest_1);
  vacant_3 = lower(vacant_3, rest_2);
  if (rest_3 != NONE) is_lost = 1;
}

static void remove_vacant(int number) {
  if (!is_vacant(number)) return;
  if (number == vacant_0) vacant_0 = vacant_1;
  if (number <= vacant_1) vacant_1 = vacant_2;
  if (number <= vacant_2) vacant_2 = vacant_3;
  vacant_3 = NONE;
}

static void remove_high(int number) {
  if (number == high_0) high_0 = NONE;
  if (number == high_1) high_1 = NONE;
}

_Bool is_bad_descriptor(int number) {
  if (number < 0) return 1;
  return is_followed() && !opens_more() && number != NONE && is_vacant(number);
}

_Bool is_good_descriptor(int number) {
  if (number < 0 || !is_followed()) return 0;
  return (number < top && !is_vacant(number)) || (is_high(number) && number != NONE);
}

/* The number of a new descriptor: `wanted`, if that is allowed. */
int taken_descriptor(int wanted) {
  int number = wanted;
  if (!is_followed()) {
    number_is_unknown();
    return number;
  }
  if (!opens_more()) number = vacant_0 < top ? vacant_0 : lower(number, vacant_0);
  if (number < top && !is_vacant(number)) number = top;
  __VERIFIER_assume(number < LARGEST);
  number += is_high(number);
  number += is_high(number);
  remove_vacant(number);
  if (number >= top) top = number + 1;
  return number;
}

void descriptor_is_closed(int number) {
  if (number < 0 || number == NONE || is_vacant(number)) return;
  remove_high(number);
  add_vacant(number);
}

void descriptor_is_open(int number) {
  remove_vacant(number);
  if (number < top || is_high(number)) return;
  if (high_0 == NONE)
    high_0 = number;
  else if (high_1 == NONE)
    high_1 = number;
  else
    is_lost = 1;
}
