// sea-py pf: the loop goes one element too far
#include <stdio.h>

#define DAYS 7

static int rain[DAYS];

static void read_rain(void) {
  for (int day = 0; day < DAYS; day++) {
    int c = getchar();
    rain[day] = c >= '0' && c <= '9' ? c - '0' : 0;
  }
}

static int wettest(void) {
  int best = 0;
  for (int day = 1; day <= DAYS; day++) {
    if (rain[day] > rain[best])
      best = day;
  }
  return best;
}

int main(void) {
  read_rain();
  printf("wettest day: %d\n", wettest());
  return 0;
}
