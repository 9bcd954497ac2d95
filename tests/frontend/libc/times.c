
int main(void) {
  time_t t = 86400 * 365 + 3661, back; char b[256]; struct tm u, *g = gmtime(&t);
  CHECK(g->tm_year == 71 && g->tm_mon == 0 && g->tm_mday == 1 && g->tm_hour == 1 && g->tm_min == 1 && g->tm_sec == 1 && g->tm_wday == 5 && g->tm_yday == 0 && !g->tm_isdst);
  CHECK(strftime(b, 64, "%Y-%m-%d %H:%M:%S", g) == 19 && !strcmp(b, "1971-01-01 01:01:01") && !strcmp(asctime(g), "Fri Jan  1 01:01:01 1971\n"));
  CHECK(strftime(b, 256, "%a %A %b %B %j %U %W %u %w %y %C %e %I %p %V %G %D %F %R %T %c %x %X %r %%%n%t", g) > 0);
  CHECK(!strcmp(b, "Fri Friday Jan January 001 00 00 5 5 71 19  1 01 AM 53 1970 01/01/71 1971-01-01 01:01 01:01:01 Fri Jan  1 01:01:01 1971 01/01/71 01:01:01 01:01:01 AM %\n\t"));
  CHECK(strftime(b, 4, "%Y-", g) == 0 && (back = timegm(g)) == t);
  memset(&u, 0, sizeof u); u.tm_year = 100; u.tm_mon = 1; u.tm_mday = 30; CHECK(timegm(&u) == 951868800 && u.tm_mon == 2 && u.tm_mday == 1 && u.tm_wday == 3 && u.tm_yday == 60);
  t = -1; CHECK(gmtime_r(&t, &u) == &u && u.tm_year == 69 && u.tm_sec == 59 && u.tm_yday == 364); asctime_r(&u, b); CHECK(!strcmp(b, "Wed Dec 31 23:59:59 1969\n"));
  CHECK(!strcmp(ctime(&back), "Fri Jan  1 01:01:01 1971\n") && localtime(&back)->tm_hour == 1 && mktime(localtime(&back)) == back && difftime(5, 3) == 2);
  return 0;
}
