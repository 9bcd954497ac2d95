/* Filters the lines of a log, `LEVEL MESSAGE` or `SECONDS LEVEL MESSAGE`, and sums them up.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16

enum level { DEBUG, INFO, WARN, ERROR, LEVELS };

static const char *const names[LEVELS] = {"DEBUG", "INFO", "WARN", "ERROR"};

struct summary {
    unsigned seen[LEVELS];
    int first, last;
    int has_time;
};

static int level_of(const char *word, size_t length)
{
    int level;

    for (level = DEBUG; level < LEVELS; level++)
        if (strlen(names[level]) == length && strncmp(names[level], word, length) == 0)
            return level;
    return -1;
}

static int seconds(char **line, int *time)
{
    char *end;
    long value = strtol(*line, &end, 10);

    if (end == *line || *end != ' ' || value < INT_MIN || value > INT_MAX)
        return 0;
#ifndef OVERFLOW_BUG
    if (value < 0)
        return 0;
#endif
    *time = (int)value;
    *line = end + 1;
    return 1;
}

static void note(struct summary *summary, int time)
{
    if (!summary->has_time) {
        summary->first = summary->last = time;
        summary->has_time = 1;
    }
    if (time < summary->first)
        summary->first = time;
    if (time > summary->last)
        summary->last = time;
}

/* Counts a line; the result is whether it is shown. */
static int filter(char *line, int least, struct summary *summary)
{
    size_t length;
    int level, time;

    if (seconds(&line, &time))
        note(summary, time);
    length = strcspn(line, " \n");
    level = level_of(line, length);
#ifndef MEMORY_BUG
    if (level < 0)
        return 0;
#endif
    summary->seen[level]++;
    return level >= least;
}

int main(void)
{
    struct summary summary = {{0}, 0, 0, 0};
    char line[LINE], shown[LINE + 8];
    int level;

    while (fgets(line, sizeof line, stdin) != NULL) {
        char copy[LINE];

        strcpy(copy, line);
        if (filter(copy, INFO, &summary)) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(shown, sizeof shown, "> %s", line);
            puts(shown);
        }
    }
    for (level = DEBUG; level < LEVELS; level++)
        printf("%s: %u\n", names[level], summary.seen[level]);
    if (summary.has_time)
        printf("%d seconds\n", summary.last - summary.first);
    return 0;
}
