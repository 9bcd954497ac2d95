/* Classes of the characters below 128, for the sources of the library; after wctype.h. */
static const char *const class_names[] = {"alnum", "alpha", "blank", "cntrl", "digit", "graph",
                                          "lower", "print", "punct", "space", "upper", "xdigit"};

static wctype_t class_named(const char *name) {
  for (unsigned k = 0; k < 12; k++) {
    const char *left = name, *right = class_names[k];
    while (*left != 0 && *left == *right) left++, right++;
    if (*left == *right) return k + 1;
  }
  return 0;
}

static int in_range(wint_t c, int low, int high) { return c >= (wint_t)low && c <= (wint_t)high; }

static int belongs(wint_t c, wctype_t kind) {
  int letter = in_range(c | 32, 'a', 'z'), digit = in_range(c, '0', '9');
  int graph = in_range(c, '!', '~');
  switch (kind) {
  case 1: return letter || digit;
  case 2: return letter;
  case 3: return c == ' ' || c == '\t';
  case 4: return c < ' ' || c == 127;
  case 5: return digit;
  case 6: return graph;
  case 7: return in_range(c, 'a', 'z');
  case 8: return graph || c == ' ';
  case 9: return graph && !letter && !digit;
  case 10: return c == ' ' || in_range(c, '\t', '\r');
  case 11: return in_range(c, 'A', 'Z');
  case 12: return digit || in_range(c | 32, 'a', 'f');
  }
  return 0;
}

static wint_t raised(wint_t c) { return in_range(c, 'a', 'z') ? c - 32 : c; }
static wint_t lowered(wint_t c) { return in_range(c, 'A', 'Z') ? c + 32 : c; }
