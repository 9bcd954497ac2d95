/* Counts how often the words of a text occur, as far as its table has room.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define LINE 16
#define WORDS 8

struct entry {
    char word[LINE];
    int count;
};

static struct entry entries[WORDS];
static int used;

static struct entry *lookup(const char *word)
{
    int index;

    for (index = 0; index < used; index++)
        if (strcmp(entries[index].word, word) == 0)
            return &entries[index];
    return NULL;
}

static int add(const char *word)
{
    struct entry *entry = lookup(word);

    if (entry != NULL) {
        if (entry->count < INT_MAX)
            entry->count++;
        return 1;
    }
#ifdef MEMORY_BUG
    if (used > WORDS)
#else
    if (used == WORDS)
#endif
        return 0;
    entry = &entries[used++];
    strncpy(entry->word, word, sizeof entry->word - 1);
    entry->word[sizeof entry->word - 1] = '\0';
    entry->count = 1;
    return 1;
}

static void lower(char *text)
{
    for (; *text != '\0'; text++)
        *text = (char)tolower((unsigned char)*text);
}

/* A number such as `5*` at the beginning of a line repeats its words. */
static int repeated(const char *digits, int *times)
{
    int value = 0;

    while (isdigit((unsigned char)*digits)) {
#ifndef OVERFLOW_BUG
        if (value > 1000)
            return 0;
#endif
        value = 10 * value + (*digits - '0');
        digits++;
    }
    if (*digits != '*' || value == 0)
        return 0;
    *times = value;
    return 1;
}

int main(void)
{
    char line[LINE];
    unsigned long lost = 0, total = 0;
    int index;

    while (fgets(line, sizeof line, stdin) != NULL) {
        int times = 1;
        char *word = strtok(line, " \t\n");

        if (word != NULL && repeated(word, &times))
            word = strtok(NULL, " \t\n");
        for (; word != NULL; word = strtok(NULL, " \t\n")) {
            lower(word);
            total += (unsigned long)times;
            if (!add(word))
                lost++;
        }
    }
    for (index = 0; index < used; index++)
        printf("%7d %s\n", entries[index].count, entries[index].word);
    printf("%lu words, %lu not counted\n", total, lost);
    return 0;
}
