/* Shared code for texts of bytes and of wide characters.  The including file defines `letter`, and
   the free choice of a comparison's result, `any_order`. */

/* An arbitrary number with the sign of `difference`. */
static int ordered(int difference) {
  int any = any_order();
  if (difference < 0) return any < 0 ? any : -1;
  return difference == 0 ? 0 : any > 0 ? any : 1;
}

static size_t length(const letter *text) {
  size_t n = 0;
  while (text[n] != 0) n++;
  return n;
}

static size_t length_within(const letter *text, size_t limit) {
  size_t n = 0;
  while (n < limit && text[n] != 0) n++;
  return n;
}

static letter *copied(letter *target, const letter *source) {
  size_t i = 0;
  while (source[i] != 0) {
    target[i] = source[i];
    i++;
  }
  target[i] = 0;
  return target + i;
}

static int occurs(letter c, const letter *set) {
  while (*set != 0 && *set != c) set++;
  return *set != 0;
}

static size_t span(const letter *text, const letter *set, int wanted) {
  size_t n = 0;
  while (text[n] != 0 && occurs(text[n], set) == wanted) n++;
  return n;
}
