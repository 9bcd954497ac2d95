/* Sums of the columns of a table whose fields are separated by commas.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16
#define COLUMNS 4

struct column {
    int sum;
    int cells;
    int saturated;
};

static void add(struct column *column, int value)
{
#ifndef OVERFLOW_BUG
    if ((value > 0 && column->sum > INT_MAX - value)
        || (value < 0 && column->sum < INT_MIN - value)) {
        column->saturated = 1;
        return;
    }
#endif
    column->sum += value;
    if (column->cells < INT_MAX)
        column->cells++;
}

static int cell(const char *text, int *value)
{
    char *end;
    long number;

    errno = 0;
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || number < INT_MIN || number > INT_MAX)
        return 0;
    *value = (int)number;
    return 1;
}

/* Adds the fields of a line; the result is how many were no numbers. */
static int row(char *line, struct column *columns)
{
    int index = 0, refused = 0;
    char *field;

    line[strcspn(line, "\r\n")] = '\0';
    for (field = strtok(line, ","); field != NULL; field = strtok(NULL, ",")) {
        int value;

#ifndef MEMORY_BUG
        if (index >= COLUMNS)
            return refused + 1;
#endif
        if (cell(field, &value))
            add(&columns[index], value);
        else
            refused++;
        index++;
    }
    return refused;
}

int main(void)
{
    static struct column columns[COLUMNS];
    char line[LINE], shown[32];
    unsigned long refused = 0;
    int index;

    while (fgets(line, sizeof line, stdin) != NULL)
        refused += (unsigned long)row(line, columns);

    for (index = 0; index < COLUMNS; index++) {
        if (columns[index].saturated)
            snprintf(shown, sizeof shown, "too large");
        else
            snprintf(shown, sizeof shown, "%d", columns[index].sum);
        printf("column %d: %s in %d cells\n", index + 1, shown, columns[index].cells);
    }
    if (refused > 0)
        fprintf(stderr, "%lu fields are no numbers\n", refused);
    return refused > 0;
}
