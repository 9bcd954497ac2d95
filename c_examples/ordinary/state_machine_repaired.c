// expected: safe
#include <stdio.h>

enum state { CODE, SLASH, COMMENT, STAR };

int main(void) {
  unsigned seen[4] = {0, 0, 0, 0};
  enum state state = CODE;
  int c;
  while ((c = getchar()) != EOF) {
    switch (state) {
    case CODE:
      state = c == '/' ? SLASH : CODE;
      break;
    case SLASH:
      state = c == '*' ? COMMENT : c == '/' ? SLASH : CODE;
      break;
    case COMMENT:
      state = c == '*' ? STAR : COMMENT;
      break;
    case STAR:
      state = c == '/' ? CODE : c == '*' ? STAR : COMMENT;
      break;
    }
    seen[state]++;
  }
  printf("%u in comments\n", seen[COMMENT]);
  return state != CODE;
}
