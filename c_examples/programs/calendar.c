/* Says on which day of the week a date `2026-11-29` falls, and how many days of the year are left.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16

struct date {
    int year, month, day;
};

static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
static const char *const names[7] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

static int is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int length_of(int month, int year)
{
    return lengths[month - 1] + (month == 2 && is_leap(year));
}

static int field(char **text, char separator, int least, int most, int *value)
{
    char *end;
    long number = strtol(*text, &end, 10);

    if (end == *text || *end != separator || number < least || number > most)
        return 0;
    *text = separator == '\0' ? end : end + 1;
    *value = (int)number;
    return 1;
}

static int parse(char *text, struct date *date)
{
#if defined OVERFLOW_BUG
    if (!field(&text, '-', INT_MIN, INT_MAX, &date->year))
#elif defined MEMORY_BUG
    if (!field(&text, '-', -9999, 9999, &date->year))
#else
    if (!field(&text, '-', 1, 9999, &date->year))
#endif
        return 0;
    if (!field(&text, '-', 1, 12, &date->month))
        return 0;
    if (!field(&text, '\0', 1, 31, &date->day))
        return 0;
    return date->day <= length_of(date->month, date->year);
}

static int day_of_year(const struct date *date)
{
    int day = date->day, month;

    for (month = 1; month < date->month; month++)
        day += length_of(month, date->year);
    return day;
}

static int day_of_week(const struct date *date)
{
    int before = date->year - 1;
    int days = 365 * before + before / 4 - before / 100 + before / 400 + day_of_year(date);

    return days % 7;
}

int main(void)
{
    char line[LINE], shown[32];
    struct date date;

    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (!parse(line, &date)) {
            fprintf(stderr, "no date: %s\n", line);
            continue;
        }
        snprintf(shown, sizeof shown, "%04d-%02d-%02d", date.year, date.month, date.day);
        printf("%s %s, %d days are left\n", shown, names[day_of_week(&date)],
               365 + is_leap(date.year) - day_of_year(&date));
    }
    return 0;
}
