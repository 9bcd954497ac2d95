/* Variable arguments. */
#include "memory.h"

#include <stdarg.h>

struct both {
  short a, b;
};

static long total(const char *kinds, ...) {
  va_list list, again;
  long sum = 0;
  va_start(list, kinds);
  va_copy(again, list);
  for (; *kinds; kinds++) switch (*kinds) {
      case 'i':
        sum = sum * 3 + va_arg(list, int);
        break;
      case 'l':
        sum = sum * 3 + (long)va_arg(list, long long);
        break;
      case 'd':
        sum = sum * 3 + (va_arg(list, double) == 2.0);
        break;
      case 'p':
        sum = sum * 3 + *va_arg(list, int *);
        break;
    }
  sum += va_arg(again, int);
  va_end(again);
  va_end(list);
  return sum;
}

static long further(int n, va_list list) {
  long sum = 0;
  while (n-- > 0) sum = sum * 5 + va_arg(list, int);
  return sum;
}

static long passed_on(int n, ...) {
  va_list list;
  va_start(list, n);
  long sum = further(n, list);
  va_end(list);
  return sum;
}

void t_arguments_of_many_kinds(void) {
  int x = below(9);
  show(total("ilpid", below(5), (long long)below(7), &x, 4, 2.0));
  show(total("i", x));
}

void t_lists_passed_on(void) {
  int n = below(4);
  for (int i = 0; i < n; i++) show(passed_on(3, i, below(5), 7));
}

static long (*by_pointer)(int, ...) = passed_on;

void t_called_by_pointer(void) { show(by_pointer(2, below(4), 3)); }
