/* Splits addresses such as `ftp://host:21/path` into their parts.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16

struct url {
    int port;
    char host[LINE];
    char path[LINE];
    char scheme[8];
};

static int copy(char *target, size_t size, const char *from, size_t length)
{
#ifdef MEMORY_BUG
    if (length > size)
#else
    if (length >= size)
#endif
        return 0;
    memcpy(target, from, length);
    target[length] = '\0';
    return 1;
}

static int default_port(const char *scheme)
{
    if (strcmp(scheme, "http") == 0)
        return 80;
    if (strcmp(scheme, "ftp") == 0)
        return 21;
    return 0;
}

static int decimal(const char *text, const char **end)
{
    int value = 0;

    while (isdigit((unsigned char)*text)) {
        value = 10 * value + (*text++ - '0');
#ifndef OVERFLOW_BUG
        if (value > 65535)
            return -1;
#endif
    }
    *end = text;
    return value;
}

static int split(const char *text, struct url *url)
{
    const char *colon = strchr(text, ':');
    size_t length;

    if (colon == NULL || colon[1] != '/' || colon[2] != '/')
        return 0;
    if (!copy(url->scheme, sizeof url->scheme, text, (size_t)(colon - text)))
        return 0;
    text = colon + 3;
    length = strcspn(text, ":/");
    if (length == 0 || !copy(url->host, sizeof url->host, text, length))
        return 0;
    text += length;
    url->port = default_port(url->scheme);
    if (*text == ':') {
        url->port = decimal(text + 1, &text);
        if (url->port <= 0 || url->port > 65535)
            return 0;
    }
    if (*text != '\0' && *text != '/')
        return 0;
    return copy(url->path, sizeof url->path, text, strlen(text));
}

int main(void)
{
    char line[LINE], shown[64];
    struct url url;

    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (!split(line, &url)) {
            fprintf(stderr, "not an address: %s\n", line);
            continue;
        }
        snprintf(shown, sizeof shown, "%s: %s port %d", url.scheme, url.host, url.port);
        printf("%s, path %s\n", shown, url.path[0] != '\0' ? url.path : "/");
    }
    return 0;
}
