
extern char *__xpg_basename(char *); extern char *dirname(char *);
static char *copy(const char *t) { static char b[32]; return strcpy(b, t); }
struct item { struct item *next, *prev; int x; };
static int by(const void *a, const void *b, void *c) { return *(int *)c * (*(const int *)a - *(const int *)b); }
int main(void) {
  static const char *const rows[][3] = {{"", ".", "."}, {"/", "/", "/"}, {"a", "a", "."}, {"a/", "a", "."}, {"/a", "a", "/"}, {"a/b", "b", "a"}, {"/a/b//", "b", "/a"}, {"a//b", "b", "a"}, {"///", "/", "/"}, {"/a//b/c", "c", "/a//b"}};
  for (int i = 0; i < 10; i++) CHECK(!strcmp(__xpg_basename(copy(rows[i][0])), rows[i][1]) && !strcmp(dirname(copy(rows[i][0])), rows[i][2]));
  CHECK(!strcmp(__xpg_basename(0), ".") && !strcmp(dirname(0), "."));
#undef basename
  extern char *basename(const char *); CHECK(!strcmp(basename("a/b"), "b") && !strcmp(basename("a/"), "") && !strcmp(basename("x"), "x"));
  char a[] = "abcde", b[] = "......"; swab(a, b, 4); CHECK(!strcmp(b, "badc..")); swab(a, b, -1); CHECK(*b == 'b');
  struct item x = {0, 0, 1}, y = {0, 0, 2}, z = {0, 0, 3}; insque(&x, 0); insque(&z, &x); insque(&y, &x);
  CHECK(x.next == &y && y.next == &z && z.prev == &y && !z.next && !x.prev); remque(&y); CHECK(x.next == &z && z.prev == &x);
  int t[] = {3, 1, 2}, down = -1; qsort_r(t, 3, sizeof *t, by, &down); CHECK(t[0] == 3 && t[1] == 2 && t[2] == 1);
  srand48(42); long l = lrand48(); CHECK(l == 1598855263 && mrand48() == 1471891643); double d = drand48(); CHECK(d > 0.1110 && d < 0.1111);
  unsigned short s[3] = {1, 2, 3}; CHECK(nrand48(s) == 949179875 && jrand48(s) == 1130126687); d = erand48(s); CHECK(d > 0.6541 && d < 0.6542);
  unsigned short p[7] = {1, 2, 3, 5, 0, 0, 7}; lcong48(p); CHECK(lrand48() == 491525); seed48(s); CHECK(lrand48() >= 0);
  CHECK(a64l("zz.") == 4095 && a64l("") == 0 && !strcmp(l64a(4095), "zz") && !strcmp(l64a(0), ""));
  CHECK(strverscmp("a9", "a10") < 0 && strverscmp("a01", "a1") < 0 && strverscmp("a", "a") == 0 && strverscmp("000", "00") < 0 && strverscmp("item#99", "item#100") < 0);
  char *e; CHECK(strtoimax("-7x", &e, 10) == -7 && *e == 'x' && strtoumax("ff", 0, 16) == 255);
  return 0;
}
