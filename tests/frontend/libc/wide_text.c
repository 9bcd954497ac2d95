
int main(void) {
  wchar_t b[16], *rest, *e; wchar_t text[] = L"a,b,,c";
  CHECK(wcslen(L"abc") == 3 && wcsnlen(L"abc", 2) == 2 && !wcscmp(wcscpy(b, L"abc"), L"abc"));
  CHECK(wcscat(b, L"de") == b && !wcscmp(b, L"abcde") && wcscmp(L"ab", L"b") < 0);
  CHECK(wcsncmp(L"abc", L"abd", 2) == 0 && wcsncmp(L"abc", L"abd", 3) < 0 && wcscmp(L"b", L"") > 0);
  wmemset(b, L'x', 16); wcsncpy(b, L"ab", 4); CHECK(b[1] == L'b' && !b[2] && !b[3] && b[4] == L'x');
  CHECK(wcpcpy(b, L"xy") == b + 2 && wcpncpy(b, L"z", 3) == b + 1 && !wcscmp(wcsncat(b, L"12345", 2), L"z12"));
  CHECK(wcschr(b, L'1') == b + 1 && !wcschr(b, L'q') && wcschr(b, 0) == b + 3 && wcsrchr(L"aba", L'a')[1] == 0);
  CHECK(wcsstr(b, L"12") == b + 1 && !wcsstr(b, L"21") && wcsspn(L"aabc", L"ab") == 3 && wcscspn(L"xyab", L"ba") == 2);
  CHECK(wcspbrk(b, L"2") == b + 2 && !wcspbrk(b, L"q") && wcschrnul(b, L'q') == b + 3);
  CHECK(wcstok(text, L",", &rest) == text && wcstok(0, L",", &rest) == text + 2 && wcstok(0, L",", &rest) == text + 5 && !wcstok(0, L",", &rest));
  CHECK(wmemcmp(L"ab", L"ac", 2) < 0 && wmemcmp(L"ab", L"ac", 1) == 0 && wmemchr(L"abc", L'c', 3) && !wmemchr(L"abc", L'c', 2));
  CHECK(wmemcpy(b, L"0123456", 8) == b && wmemmove(b + 1, b, 6) == b + 1 && !wcscmp(b, L"0012345"));
  CHECK(wcscasecmp(L"aBc", L"AbC") == 0 && wcsncasecmp(L"aBx", L"Aby", 2) == 0 && wcscasecmp(L"a", L"B") < 0 && wcscoll(L"a", L"b") < 0);
  wchar_t *copy = wcsdup(L"dup"); CHECK(!wcscmp(copy, L"dup")); free(copy);
  CHECK(wcstol(L" -12x", &e, 10) == -12 && *e == L'x' && wcstoul(L"0x1F", 0, 0) == 31 && wcstoll(L"077", &e, 0) == 63 && *e == 0);
  errno = 0; CHECK(wcstol(L"99999999999999999999", &e, 10) == (long)(~0ul >> 1) && errno == ERANGE && *e == 0);
  CHECK(wcstod(L"2.5e1z", &e) == 25 && *e == L'z' && wcstof(L"0.1", 0) == 0.1f && wcstoull(L"", &e, 10) == 0 && wcstoimax(L"-5", 0, 10) == -5);
  return 0;
}
