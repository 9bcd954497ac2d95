/* A calculator with two decimals: numbers are pushed, operators take the two on top, `p` prints.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 16
#define STACK 8
#define SCALE 100

static int stack[STACK];
static int depth;

static int push(long long value)
{
    if (depth == STACK || value < INT_MIN || value > INT_MAX)
        return 0;
    stack[depth++] = (int)value;
    return 1;
}

/* Reads `12.34`, `-5` or `.5` in hundredths. */
static int number(const char *text, long long *value)
{
    int negative = *text == '-', digits = 0;
    long long whole = 0;
    int fraction = 0, weight = SCALE / 10;

    if (negative)
        text++;
    for (; isdigit((unsigned char)*text); text++, digits++) {
        whole = 10 * whole + (*text - '0');
        if (whole > INT_MAX)
            return 0;
    }
    if (*text == '.')
        for (text++; isdigit((unsigned char)*text); text++, digits++) {
            fraction += weight * (*text - '0');
            weight /= 10;
        }
    if (*text != '\0' || digits == 0)
        return 0;
    *value = whole * SCALE + fraction;
    if (negative)
        *value = -*value;
    return 1;
}

static int apply(char operator)
{
    long long left, right;

#ifndef MEMORY_BUG
    if (depth < 2)
        return 0;
#endif
    right = stack[--depth];
    left = stack[--depth];
    switch (operator) {
    case '+':
        return push(left + right);
    case '-':
        return push(left - right);
    case '*':
#ifdef OVERFLOW_BUG
        return push((int)left * (int)right / SCALE);
#else
        return push(left * right / SCALE);
#endif
    case '/':
        return right != 0 && push(left * SCALE / right);
    default:
        return 0;
    }
}

static void print(void)
{
    char shown[32];
    long long top, magnitude;

    if (depth == 0)
        return;
    top = stack[depth - 1];
    magnitude = top < 0 ? -top : top;
    snprintf(shown, sizeof shown, "%s%lld.%02d", top < 0 ? "-" : "", magnitude / SCALE,
             (int)(magnitude % SCALE));
    puts(shown);
}

int main(void)
{
    char line[LINE];
    long long value;

    while (fgets(line, sizeof line, stdin) != NULL) {
        char *word;

        for (word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
            if (strcmp(word, "p") == 0) {
                print();
            } else if (number(word, &value)) {
                if (!push(value))
                    puts("no room");
            } else if (word[1] != '\0' || !apply(word[0])) {
                puts("?");
                depth = 0;
            }
        }
    }
    return 0;
}
