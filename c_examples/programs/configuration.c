/* A reader of configuration files: lines `key = value`, comments after `#`.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16

struct configuration {
    int port;
    int retries;
    int timeout;
    char host[8];
};

static char *trimmed(char *text)
{
    size_t length;

    while (isspace((unsigned char)*text))
        text++;
    length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

static int number(const char *text, int least, int most, int *result)
{
    char *end;
    long value;

    errno = 0;
    value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno == ERANGE)
        return 0;
    if (value < least || value > most)
        return 0;
    *result = (int)value;
    return 1;
}

static int set(struct configuration *configuration, const char *key, const char *value)
{
    int seconds;

    if (strcmp(key, "port") == 0)
        return number(value, 1, 65535, &configuration->port);
    if (strcmp(key, "retries") == 0)
        return number(value, 0, 10, &configuration->retries);
    if (strcmp(key, "wait") == 0) {
#ifdef OVERFLOW_BUG
        if (!number(value, 0, INT_MAX, &seconds))
#else
        if (!number(value, 0, 3600, &seconds))
#endif
            return 0;
        configuration->timeout = seconds * 1000;
        return 1;
    }
    if (strcmp(key, "host") == 0) {
#ifndef MEMORY_BUG
        if (strlen(value) >= sizeof configuration->host)
            return 0;
#endif
        strcpy(configuration->host, value);
        return 1;
    }
    return 0;
}

static int parse(struct configuration *configuration, char *line)
{
    char *comment = strchr(line, '#');
    char *equals;

    if (comment != NULL)
        *comment = '\0';
    line = trimmed(line);
    if (*line == '\0')
        return 1;
    equals = strchr(line, '=');
    if (equals == NULL)
        return 0;
    *equals = '\0';
    return set(configuration, trimmed(line), trimmed(equals + 1));
}

int main(void)
{
    struct configuration configuration = {80, 3, 1000, "local"};
    char line[LINE];
    unsigned number_of_line = 0;
    int wrong = 0;

    while (fgets(line, sizeof line, stdin) != NULL) {
        number_of_line++;
        if (!parse(&configuration, line)) {
            fprintf(stderr, "line %u: not understood\n", number_of_line);
            wrong = 1;
        }
    }
    printf("%s:%d, %d retries, %d ms\n", configuration.host, configuration.port,
           configuration.retries, configuration.timeout);
    return wrong;
}
