// sea-py pf: no number at all makes an average of 0 / 0
#include <stdio.h>

static int sum, count;

static void add(int number) {
  sum += number;
  count++;
}

static int average(void) {
  return sum / count;
}

int main(void) {
  int c, number = 0, digits = 0;
  while ((c = getchar()) != EOF) {
    if (c >= '0' && c <= '9' && digits < 4) {
      number = 10 * number + (c - '0');
      digits++;
    } else if (digits > 0) {
      add(number);
      number = digits = 0;
    }
  }
  printf("%d\n", average());
  return 0;
}
