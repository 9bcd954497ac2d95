
static int by(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int sum, last, order; static void visit(const void *n, VISIT v, int d) { int x = **(int *const *)n; if (v == postorder || v == leaf) { order += x > last; last = x; sum += x; } }
int main(void) {
  int t[5] = {3, 1}, k = 7; size_t n = 2; CHECK(lfind(&t[1], t, &n, sizeof k, by) == t + 1 && !lfind(&k, t, &n, sizeof k, by) && *(int *)lsearch(&k, t, &n, sizeof k, by) == 7 && n == 3 && lsearch(&k, t, &n, sizeof k, by) == t + 2);
  void *root = 0; static int v[6] = {5, 2, 8, 1, 9, 3}; for (int i = 0; i < 6; i++) CHECK(**(int **)tsearch(&v[i], &root, by) == v[i]);
  CHECK(**(int **)tfind(&v[3], &root, by) == 1 && !tfind(&k, &root, by) && *(int **)tsearch(&v[2], &root, by) == &v[2]);
  twalk(root, visit); CHECK(sum == 28 && order == 6); CHECK(tdelete(&v[0], &root, by) && !tfind(&v[0], &root, by) && !tdelete(&k, &root, by)); for (int i = 1; i < 6; i++) tdelete(&v[i], &root, by); CHECK(!root);
  ENTRY e = {"one", (void *)1}, f = {"two", (void *)2}, *r; CHECK(hcreate(8) && hsearch(e, ENTER) && hsearch(f, ENTER) && (r = hsearch(e, FIND)) && r->data == (void *)1 && !hsearch((ENTRY){"no", 0}, FIND)); hdestroy();
  return 0;
}
