
int main(void) {
  wchar_t w, b[8]; char c[8]; mbstate_t s; const char *p = "xyz"; const wchar_t *q = L"xyz"; memset(&s, 0, sizeof s);
  CHECK(mbtowc(&w, "ab", 2) == 1 && w == L'a' && mbtowc(&w, "", 1) == 0 && mbtowc(0, 0, 0) == 0 && mblen("a", 1) == 1);
  CHECK(wctomb(c, L'q') == 1 && *c == 'q' && wctomb(0, 0) == 0 && mbrtowc(&w, "b", 1, &s) == 1 && w == L'b' && mbrtowc(&w, "b", 0, &s) == (size_t)-2);
  CHECK(wcrtomb(c, L'z', &s) == 1 && *c == 'z' && mbrlen("a", 1, &s) == 1 && mbsinit(&s) && mbsinit(0));
  CHECK(mbstowcs(b, "abc", 8) == 3 && !wcscmp(b, L"abc") && mbstowcs(0, "abcd", 0) == 4 && mbstowcs(b, "xyz", 2) == 2 && b[2] == L'c');
  CHECK(wcstombs(c, L"abc", 8) == 3 && !strcmp(c, "abc") && wcstombs(0, L"ab", 0) == 2);
  CHECK(mbsrtowcs(b, &p, 8, &s) == 3 && !p && wcsrtombs(c, &q, 2, &s) == 2 && *q == L'z');
  CHECK(btowc('a') == L'a' && btowc(EOF) == WEOF && wctob(L'a') == 'a' && wctob(WEOF) == EOF);
  for (int i = 0; i < 128; i += 1) {
    CHECK(!iswalpha(i) == !isalpha(i) && !iswdigit(i) == !isdigit(i) && !iswspace(i) == !isspace(i) && !iswpunct(i) == !ispunct(i));
    CHECK(!iswalnum(i) == !isalnum(i) && !iswupper(i) == !isupper(i) && !iswlower(i) == !islower(i) && !iswxdigit(i) == !isxdigit(i));
    CHECK(!iswcntrl(i) == !iscntrl(i) && !iswblank(i) == !isblank(i) && !iswgraph(i) == !isgraph(i) && !iswprint(i) == !isprint(i));
    CHECK((int)towlower(i) == tolower(i) && (int)towupper(i) == toupper(i));
  }
  CHECK(!iswalpha(WEOF) && towlower(WEOF) == WEOF && iswctype(L'a', wctype("alpha")) && !iswctype(L'1', wctype("alpha")) && !wctype("no"));
  return 0;
}
