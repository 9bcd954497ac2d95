/* A log: lines go to a file, which is closed and begun anew when it has grown.
 *
 * rule: stdio-stream
 * With -DBUG a line that comes while the log cannot be begun anew goes to the closed file.
 */
#include <stdio.h>

#define MOST_BYTES 4096
#define MOST_FILES 5

enum level { DEBUG, INFO, WARNING, ERROR, LEVELS };

extern int next_event(void);
extern unsigned any_number(void);

struct log {
    FILE *file;
    unsigned long bytes;
    unsigned number, lost, lines[LEVELS];
    enum level least;
    int is_open;
};

/* ------------------------------------------------------------------- files */

static const char *name_of(unsigned number)
{
    static const char *const names[MOST_FILES] = {"log.0", "log.1", "log.2", "log.3", "log.4"};

    return names[number % MOST_FILES];
}

static int log_open(struct log *log)
{
    log->file = fopen(name_of(log->number), "a");
    if (!log->file) {
        log->is_open = 0;
        return -1;
    }
    log->bytes = 0;
    log->is_open = 1;
    return 0;
}

static void log_close(struct log *log)
{
    if (!log->is_open)
        return;
    fclose(log->file);
    log->is_open = 0;
}

static int log_rotate(struct log *log)
{
    FILE *next;

    log->number = (log->number + 1) % MOST_FILES;
    if (log->is_open)
        fclose(log->file);
    next = fopen(name_of(log->number), "w");
    if (!next) {
#ifndef BUG
        log->is_open = 0;
#endif
        return -1;
    }
    log->file = next;
    log->bytes = 0;
    log->is_open = 1;
    return 0;
}

/* ------------------------------------------------------------------- lines */

static const char *label(enum level level)
{
    switch (level) {
    case DEBUG:
        return "debug: ";
    case INFO:
        return "info: ";
    case WARNING:
        return "warning: ";
    default:
        return "error: ";
    }
}

static const char *text_of(unsigned what)
{
    switch (what % 4) {
    case 0:
        return "began\n";
    case 1:
        return "a client came\n";
    case 2:
        return "a client left\n";
    default:
        return "no memory\n";
    }
}

static unsigned length_of(enum level level, unsigned what)
{
    static const unsigned labels[LEVELS] = {7, 6, 9, 7};
    static const unsigned texts[4] = {6, 14, 14, 10};

    return labels[level] + texts[what % 4];
}

static void log_line(struct log *log, enum level level, unsigned what)
{
    if (level < log->least)
        return;
    if (!log->is_open) {
        log->lost++;
        return;
    }
    if (fputs(label(level), log->file) < 0 || fputs(text_of(what), log->file) < 0) {
        log->lost++;
        return;
    }
    if (level >= WARNING)
        fflush(log->file);
    log->lines[level]++;
    log->bytes += length_of(level, what);
}

static void log_flush(struct log *log)
{
    if (log->is_open && fflush(log->file) != 0)
        log->lost++;
}

static void log_summary(struct log *log)
{
    unsigned k, all = 0;

    for (k = 0; k < LEVELS; k++)
        all += log->lines[k];
    if (log->is_open && all > 0)
        fputs("summary written\n", log->file);
    if (log->lost > 0 && log->is_open)
        fputs("lines were lost\n", log->file);
}

/* ------------------------------------------------------------------ events */

static void quieter(struct log *log)
{
    if (log->least < ERROR)
        log->least = (enum level)(log->least + 1);
}

static void louder(struct log *log)
{
    if (log->least > DEBUG)
        log->least = (enum level)(log->least - 1);
}

static int handle(struct log *log, int event)
{
    switch (event) {
    case 1:
        log_line(log, (enum level)(any_number() % LEVELS), any_number());
        return 0;
    case 2:
        return log_rotate(log);
    case 3:
        quieter(log);
        return 0;
    case 4:
        louder(log);
        return 0;
    case 5:
        if (!log->is_open)
            return log_open(log);
        return 0;
    case 6:
        log_flush(log);
        return 0;
    default:
        log_summary(log);
        return 0;
    }
}

int main(void)
{
    struct log log = {0, 0, 0, 0, {0, 0, 0, 0}, INFO, 0};
    unsigned failures = 0;
    int event;

    if (log_open(&log) != 0)
        return 1;
    while ((event = next_event()) != 0) {
        if (handle(&log, event) != 0)
            failures++;
        if (log.is_open && log.bytes > MOST_BYTES && log_rotate(&log) != 0)
            failures++;
        if (failures > 10)
            break;
    }
    log_close(&log);
    return failures > 0;
}
