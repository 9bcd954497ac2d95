/* Encodes lines in base64, and decodes those that begin with `=`.

   expected: safe; unsafe with -DMEMORY_BUG (valid-memsafety) and -DOVERFLOW_BUG (no-overflow) */
#include <stdio.h>
#include <string.h>

#define LINE 16
#define ENCODED ((LINE + 2) / 3 * 4 + 1)

static const char alphabet[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const char *text, char *out)
{
    size_t length = strlen(text);
    size_t at = 0;

    while (at < length) {
        unsigned long group = (unsigned long)(unsigned char)text[at] << 16;
        size_t rest = length - at;

        if (rest > 1)
            group |= (unsigned long)(unsigned char)text[at + 1] << 8;
        if (rest > 2)
            group |= (unsigned char)text[at + 2];
        *out++ = alphabet[group >> 18 & 63];
        *out++ = alphabet[group >> 12 & 63];
        *out++ = rest > 1 ? alphabet[group >> 6 & 63] : '=';
        *out++ = rest > 2 ? alphabet[group & 63] : '=';
        at += 3;
    }
    *out = '\0';
}

static int value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    if (c == '+')
        return 62;
    return c == '/' ? 63 : -1;
}

/* The result is how many bytes there are, or -1 where the text is no base64. */
static int decode(const char *text, char *out)
{
    int length = 0, bits = 0, buffer = 0;

    for (; *text != '\0' && *text != '='; text++) {
        int digit = value(*text);

        if (digit < 0)
            return -1;
#ifdef OVERFLOW_BUG
        buffer = buffer * 64 + digit;
#else
        buffer = (buffer * 64 + digit) & 0xffff;
#endif
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            out[length++] = (char)(buffer >> bits & 255);
        }
    }
    return length;
}

int main(void)
{
    char line[LINE], encoded[ENCODED], decoded[LINE];
    int length;

    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '=') {
            length = decode(line + 1, decoded);
            if (length >= 0)
                printf("%.*s\n", length, decoded);
            continue;
        }
#ifdef MEMORY_BUG
        encode(line, decoded);
        puts(decoded);
#else
        encode(line, encoded);
        puts(encoded);
#endif
    }
    return 0;
}
