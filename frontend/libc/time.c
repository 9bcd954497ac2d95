/* Times as fields and as text (C17, 7.27): the sources of the library.  The only zone is UTC. */
#define _GNU_SOURCE
#include "shim.h"
typedef long time_t; /* as wide as the programs' */
#define __DEFINED_time_t
#undef __REDIR
#define __REDIR(name, other)
#include <time.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <langinfo.h>
#include "text.h"

#define __secs_to_tm fields_of
#define __tm_to_secs seconds_of
#define __month_to_secs seconds_of_month
#define __year_to_secs seconds_of_year
#define __strftime_fmt_1 conversion
#define __strftime_l shown
#define __gmtime_r fields_at
#define __nl_langinfo_l text_of
#define timegm seconds_again
#define __utc name_of_zone
#define __tm_to_tzname zone_of
static int fields_of(long long, struct tm *);
static long long seconds_of(const struct tm *);
static int seconds_of_month(int, int);
static long long seconds_of_year(long long, int *);
static struct tm *fields_at(const time_t *restrict, struct tm *restrict);
static time_t seconds_again(struct tm *);
static size_t shown(char *restrict, size_t, const char *restrict, const struct tm *restrict,
                    locale_t);
static const char *conversion(char (*)[100], size_t *, int, const struct tm *, locale_t, int);
static const char *zone_of(const struct tm *);
static const char name_of_zone[] = "UTC";

UNKNOWN(zone, "mktime");
UNKNOWN(text_is_unknown, "strftime");
UNKNOWN(fields_are_unknown, "asctime");

/* The names of the locale "C", and its forms of dates (C17, 7.27.3.5). */
static char *text_of(nl_item item, locale_t locale) {
  static char *const days[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                               "Thursday", "Friday", "Saturday"};
  static char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                 "July",    "August",   "September", "October", "November", "December"};
  static char short_day[4], short_month[4];
  if (item >= ABDAY_1 && item < ABDAY_1 + 7) {
    __builtin_memcpy(short_day, days[item - ABDAY_1], 3);
    return short_day;
  }
  if (item >= ABMON_1 && item < ABMON_1 + 12) {
    __builtin_memcpy(short_month, months[item - ABMON_1], 3);
    return short_month;
  }
  if (item >= DAY_1 && item < DAY_1 + 7) return days[item - DAY_1];
  if (item >= MON_1 && item < MON_1 + 12) return months[item - MON_1];
  switch (item) {
  case AM_STR: return "AM";
  case PM_STR: return "PM";
  case D_T_FMT: return "%a %b %e %T %Y";
  case D_FMT: return "%m/%d/%y";
  case T_FMT: return "%H:%M:%S";
  default: return "%I:%M:%S %p";
  }
}

/* A number with at least so many digits, filled with zeros or blanks. */
static int number(char *target, size_t size, const char *format, ...) {
  __builtin_va_list arguments;
  char digits[24];
  int count = 0, width = 0;
  __builtin_va_start(arguments, format);
  if (format[1] == '0' || format[1] == '*') width = __builtin_va_arg(arguments, int);
  long long value = __builtin_va_arg(arguments, long long);
  __builtin_va_end(arguments);
  do digits[count++] = (char)('0' + value % 10);
  while ((value /= 10) != 0);
  while (count < width) digits[count++] = format[1] == '0' ? '0' : ' ';
  for (int k = 0; k < count; k++) target[k] = digits[count - 1 - k];
  target[count] = 0;
  return count;
}

static const char *zone_of(const struct tm *at) { return name_of_zone; }

static unsigned long no_width(const char *text, char **end, int base) {
  *end = (char *)text;
  return 0;
}

static _Bool is_in(int x, int low, int high) { return x >= low && x <= high; }

void __VERIFIER_assume(int);

/* A quotient that is rounded down. */
static long long below(long long x, long long y) { return x / y - (x % y < 0); }

/* The fields of so many seconds, without a loop: years begin in March, so that the day that may be
   missing is the last one; 400 years have 146,097 days.  What is assumed at the end follows, and is
   said for those who do not look at the divisions. */
static int fields_of(long long seconds, struct tm *fields) {
  const long long most = (long long)INT_MAX * 366 * 86400;
  if (seconds > most || seconds < -most) return -1;
  long long days = below(seconds, 86400), age = below(days + 719468, 146097);
  int rest = (int)(seconds - days * 86400);
  int day = (int)(days + 719468 - age * 146097);
  int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
  int of_year = day - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
  long long whole = age * 400 + year + (month >= 10) - 1900;
  if (whole > INT_MAX || whole < INT_MIN) return -1;
  _Bool is_long = month < 10 ? year % 4 == 0 && (year % 100 != 0 || year == 0)
                             : (year + 1) % 4 == 0 && ((year + 1) % 100 != 0 || year == 399);
  fields->tm_year = (int)whole;
  fields->tm_mon = month < 10 ? month + 2 : month - 10;
  fields->tm_mday = of_year - (153 * month + 2) / 5 + 1;
  fields->tm_yday = month < 10 ? of_year + 59 + is_long : of_year - 306;
  fields->tm_wday = (int)(days + 4 - below(days + 4, 7) * 7);
  fields->tm_hour = rest / 3600;
  fields->tm_min = rest / 60 % 60;
  fields->tm_sec = rest % 60;
  __VERIFIER_assume(is_in(fields->tm_mon, 0, 11) && is_in(fields->tm_mday, 1, 31));
  __VERIFIER_assume(is_in(fields->tm_yday, 0, 365) && is_in(fields->tm_wday, 0, 6));
  __VERIFIER_assume(is_in(fields->tm_hour, 0, 23) && is_in(fields->tm_min, 0, 59));
  __VERIFIER_assume(is_in(fields->tm_sec, 0, 59));
  return 0;
}

#define snprintf number
#define strtoul no_width
#undef strftime
#define strftime unused
#undef CURRENT_LOCALE
#define CURRENT_LOCALE ((locale_t)0)
#define _LOCALE_IMPL_H
static size_t unused(char *restrict, size_t, const char *restrict, const struct tm *restrict);
#include "time/__month_to_secs.c"
#include "time/__year_to_secs.c"
#include "time/__tm_to_secs.c"
#include "time/gmtime_r.c"
#include "time/timegm.c"
#include "time/strftime.c"
#undef strftime
#undef timegm
#undef snprintf

/* Whether what a conversion shows has one form: of the zone, of flags and of fields outside their
   ranges nothing is said. */
static _Bool is_known(char c, const struct tm *at) {
  switch (c) {
  case 'a': case 'A': case 'u': case 'w': return is_in(at->tm_wday, 0, 6);
  case 'b': case 'B': case 'h': case 'm': return is_in(at->tm_mon, 0, 11);
  case 'd': case 'e': return is_in(at->tm_mday, 1, 31);
  case 'H': case 'I': case 'p': return is_in(at->tm_hour, 0, 23);
  case 'M': return is_in(at->tm_min, 0, 59);
  case 'S': return is_in(at->tm_sec, 0, 60);
  case 'j': return is_in(at->tm_yday, 0, 365);
  case 'y': case 'C': return is_in(at->tm_year, -1900, 8099);
  case 'Y': return is_in(at->tm_year, -900, 8099);
  case 'U': case 'W': return is_in(at->tm_yday, 0, 365) && is_in(at->tm_wday, 0, 6);
  case 'g': case 'G': case 'V':
    return is_in(at->tm_year, -899, 8098) && is_in(at->tm_yday, 0, 365) && is_in(at->tm_wday, 0, 6);
  case 'n': case 't': case '%': return 1;
  }
  return 0;
}

/* What a conversion stands for, or "". */
static const char *parts_of(char c) {
  switch (c) {
  case 'c': return "abeHMSY";
  case 'D': case 'x': return "mdy";
  case 'F': return "Ymd";
  case 'r': return "IMSp";
  case 'R': return "HM";
  case 'T': case 'X': return "HMS";
  }
  return "";
}

static _Bool are_known(const char *format, const struct tm *at) {
  for (; *format != 0; format++) {
    if (*format != '%') continue;
    char c = *++format;
    const char *parts = parts_of(c);
    if (*parts == 0 && !is_known(c, at)) return 0;
    for (; *parts != 0; parts++)
      if (!is_known(*parts, at)) return 0;
  }
  return !(has_locales() && is_foreign);
}

/* Nothing is said of the text where there is no room for it. */
size_t strftime(char *restrict target, size_t size, const char *restrict format,
                const struct tm *restrict at) {
  if (!are_known(format, at)) text_is_unknown();
  return shown(target, size, format, at, 0);
}

struct tm *gmtime_r(const time_t *restrict at, struct tm *restrict target) {
  return fields_at(at, target);
}

struct tm *localtime_r(const time_t *restrict at, struct tm *restrict target) {
  return fields_at(at, target);
}

static struct tm fields;

struct tm *gmtime(const time_t *at) { return fields_at(at, &fields); }

struct tm *localtime(const time_t *at) { return fields_at(at, &fields); }

/* The seconds must fit. */
static time_t seconds_at(struct tm *at) {
  long long seconds = seconds_of(at);
  if ((time_t)seconds != seconds) {
    errno = EOVERFLOW;
    return -1;
  }
  return seconds_again(at);
}

time_t timegm(struct tm *at) { return seconds_at(at); }

/* UTC has no summer time. */
static time_t local_seconds(struct tm *at) {
  if (at->tm_isdst > 0) zone();
  return seconds_at(at);
}

time_t mktime(struct tm *at) { return local_seconds(at); }

time_t timelocal(struct tm *at) { return local_seconds(at); }

/* The year has no zeros before it, unlike that of strftime (C17, 7.27.3.1). */
static char *day_of(char *target, const struct tm *at) {
  if (!are_known("%c", at)) fields_are_unknown();
  size_t n = shown(target, 21, "%a %b %e %T ", at, 0);
  int year = is_in(at->tm_year, -2899, 8099) ? at->tm_year + 1900 : 0, size = 1;
  if (year < 0) target[n++] = '-', year = -year;
  while (size < 1000 && size * 10 <= year) size *= 10;
  for (; size > 0; size /= 10) target[n++] = (char)('0' + year / size % 10);
  target[n] = '\n';
  target[n + 1] = 0;
  return target;
}

static char day[26];

char *asctime_r(const struct tm *restrict at, char *restrict target) { return day_of(target, at); }

char *asctime(const struct tm *at) { return day_of(day, at); }

char *ctime_r(const time_t *at, char *target) {
  struct tm found;
  return fields_at(at, &found) == 0 ? 0 : day_of(target, &found);
}

char *ctime(const time_t *at) {
  return fields_at(at, &fields) == 0 ? 0 : day_of(day, &fields);
}
