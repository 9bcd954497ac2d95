/* A line editor: `a text` appends a line, `i N text` inserts one, `d N` deletes one, `p` prints them.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16
#define LINES 6

static char text[LINES][LINE];
static int count;

static void insert(int at, const char *line)
{
    if (count == LINES) {
        puts("? full");
        return;
    }
    memmove(text[at + 1], text[at], (size_t)(count - at) * LINE);
    strcpy(text[at], line);
    count++;
}

static void delete(int at)
{
    memmove(text[at], text[at + 1], (size_t)(count - at - 1) * LINE);
    count--;
}

/* The line that a command is about, from 0; -1 if there is none. */
static int address(const char *from, char **rest)
{
    long number = strtol(from, rest, 10);

    if (*rest == from || number < 1)
        return -1;
#ifdef MEMORY_BUG
    if (number > count + 1)
#else
    if (number > count)
#endif
        return -1;
    return (int)number - 1;
}

static void print(void)
{
    int at;

    for (at = 0; at < count; at++)
        printf("%d\t%s\n", at + 1, text[at]);
}

/* Prints the line that is so many behind or before another. */
static void relative(const char *from)
{
    char *rest;
    int base = (int)strtol(from, &rest, 10);
    int step = (int)strtol(rest, NULL, 10);
    int at;

#ifndef OVERFLOW_BUG
    if (base < 0 || base > count || step < -count || step > count)
        return;
#endif
    at = base + step;
    if (at >= 1 && at <= count)
        puts(text[at - 1]);
}

int main(void)
{
    char line[LINE];

    while (fgets(line, sizeof line, stdin) != NULL) {
        char *rest = line + 1;
        int at;

        line[strcspn(line, "\n")] = '\0';
        switch (line[0]) {
        case 'a':
            insert(count, *rest == ' ' ? rest + 1 : rest);
            break;
        case 'i':
            at = address(rest, &rest);
            if (at >= 0)
                insert(at, *rest == ' ' ? rest + 1 : rest);
            break;
        case 'd':
            at = address(rest, &rest);
            if (at >= 0)
                delete(at);
            break;
        case 'p':
            print();
            break;
        case '+':
            relative(rest);
            break;
        case 'q':
            return 0;
        default:
            puts("?");
        }
    }
    return 0;
}
