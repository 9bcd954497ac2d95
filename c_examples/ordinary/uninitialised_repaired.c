// expected: safe
#include <stdio.h>

int main(void) {
  int largest = 0, number = 0, count = 0;
  while (count < 10 && scanf("%d", &number) == 1) {
    if (count == 0 || number > largest)
      largest = number;
    count++;
  }
  printf("%d\n", largest);
  return 0;
}
