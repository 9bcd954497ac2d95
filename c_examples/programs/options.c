/* The front end of a tool: its options come from the command line, and from lines of a file.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE 16
#define ARGUMENTS 6

struct options {
    int verbose;
    int jobs;
    int scale;
    char name[8];
};

static int number(const char *text, int most)
{
    char *end;
    long value = strtol(text, &end, 10);

    if (end == text || *end != '\0' || value < 0 || value > most)
        return -1;
    return (int)value;
}

static int parse(struct options *options, int count, char **arguments)
{
    int option, value;

    optind = 1;
    while ((option = getopt(count, arguments, "vj:n:s:")) != -1) {
        switch (option) {
        case 'v':
            if (options->verbose < 3)
                options->verbose++;
            break;
        case 'j':
            value = number(optarg, 64);
            if (value < 1)
                return 0;
            options->jobs = value;
            break;
        case 's':
#ifdef OVERFLOW_BUG
            value = number(optarg, INT_MAX);
#else
            value = number(optarg, 10000);
#endif
            if (value < 0)
                return 0;
            options->scale = value * 100;
            break;
        case 'n':
#ifdef MEMORY_BUG
            if (strlen(optarg) > sizeof options->name)
#else
            if (strlen(optarg) >= sizeof options->name)
#endif
                return 0;
            strcpy(options->name, optarg);
            break;
        default:
            return 0;
        }
    }
    return 1;
}

/* Splits a line into words, the first of which is a name of the program. */
static int split(char *line, char **arguments)
{
    int count = 0;
    char *word;

    arguments[count++] = "tool";
    for (word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        if (count == ARGUMENTS)
            break;
        arguments[count++] = word;
    }
    arguments[count] = NULL;
    return count;
}

int main(void)
{
    struct options options = {0, 1, 100, "none"};
    char line[LINE];
    char *arguments[ARGUMENTS + 1];

    while (fgets(line, sizeof line, stdin) != NULL) {
        int count = split(line, arguments);

        if (!parse(&options, count, arguments)) {
            fprintf(stderr, "usage: tool [-v] [-j JOBS] [-n NAME] [-s SCALE]\n");
            return 1;
        }
    }
    printf("%s: %d jobs, scale %d, level %d\n", options.name, options.jobs, options.scale,
           options.verbose);
    return 0;
}
