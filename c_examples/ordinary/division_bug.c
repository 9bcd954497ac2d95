// expected: unsafe (div-by-zero): the mean of no numbers
#include <stdio.h>

static int mean(int sum, int count) { return sum / count; }

int main(void) {
  int sum = 0, count = 0, c;
  while (count < 1000 && (c = getchar()) != EOF) {
    sum += c;
    count++;
  }
  printf("%d\n", mean(sum, count));
  return 0;
}
