
static int fits(const char *p, const char *t, int f) { return fnmatch(p, t, f) == 0; }
int main(void) {
  CHECK(fits("*.c", "a.c", 0) && !fits("*.c", "a.h", 0) && fits("a?c", "abc", 0) && fits("[a-c]x", "bx", 0) && !fits("[!a-c]x", "bx", 0));
  CHECK(fits("*", "a/b", 0) && !fits("*", "a/b", FNM_PATHNAME) && !fits("*", ".a", FNM_PERIOD) && fits("\\*", "*", 0) && !fits("\\*", "\\", 0) && fits("[[:digit:]]*", "7up", 0));
  CHECK(fits("a*b*c", "aXbYc", 0) && !fits("a*b*c", "aXcYb", 0) && fits("", "", 0) && fits("**", "", 0));
  regex_t r; regmatch_t m[3]; char text[] = "key = value";
  CHECK(regcomp(&r, "^([a-z]+) *= *([a-z]*)$", REG_EXTENDED) == 0 && r.re_nsub == 2);
  CHECK(regexec(&r, text, 3, m, 0) == 0 && m[0].rm_so == 0 && m[0].rm_eo == 11 && m[1].rm_eo == 3 && m[2].rm_so == 6 && m[2].rm_eo == 11);
  CHECK(regexec(&r, "1 = 2", 3, m, 0) == REG_NOMATCH); regfree(&r);
  CHECK(regcomp(&r, "a|bc", REG_EXTENDED | REG_NOSUB | REG_ICASE) == 0 && regexec(&r, "xBC", 0, 0, 0) == 0); regfree(&r);
  CHECK(regcomp(&r, "(", REG_EXTENDED) == REG_EPAREN && regcomp(&r, "[a", 0) == REG_EBRACK);
  return 0;
}
