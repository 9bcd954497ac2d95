/* A worker: it takes jobs from files, works on them, and writes the results.
 *
 * rule: descriptor
 * With -DBUG a job whose header is too short is left without closing its file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER 16
#define CHUNK 256
#define RETRIES 3

enum kind { JOB_SUM = 1, JOB_XOR, JOB_COUNT, KINDS };

struct job {
    enum kind kind;
    unsigned length;
    unsigned char want;
};

struct outcome {
    unsigned long value;
    unsigned bytes;
};

struct totals {
    unsigned done, refused, failed;
};

/* ------------------------------------------------------------------- bytes */

static unsigned word_at(const unsigned char *bytes)
{
    return (unsigned)bytes[0] | (unsigned)bytes[1] << 8 | (unsigned)bytes[2] << 16 |
           (unsigned)bytes[3] << 24;
}

static void put_word(unsigned char *bytes, unsigned word)
{
    bytes[0] = word & 255;
    bytes[1] = word >> 8 & 255;
    bytes[2] = word >> 16 & 255;
    bytes[3] = word >> 24 & 255;
}

/* ------------------------------------------------------------- reading jobs */

static long read_fully(int from, unsigned char *to, unsigned long size)
{
    unsigned long n = 0;

    while (n < size) {
        long got = read(from, to + n, size - n);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        n += (unsigned long)got;
    }
    return (long)n;
}

static int open_job(const char *name)
{
    int tries, file = -1;

    for (tries = 0; tries < RETRIES && file < 0; tries++) {
        file = open(name, O_RDONLY);
        if (file < 0 && errno != EINTR)
            break;
    }
    return file;
}

static int parse_header(const unsigned char *header, struct job *job)
{
    unsigned kind = word_at(header + 4);

    if (header[0] != 'J' || header[1] != 'O' || header[2] != 'B')
        return -1;
    if (kind == 0 || kind >= KINDS)
        return -1;
    job->kind = (enum kind)kind;
    job->length = word_at(header + 8);
    job->want = header[12];
    return 0;
}

static void step(const struct job *job, struct outcome *outcome, unsigned char byte)
{
    switch (job->kind) {
    case JOB_SUM:
        outcome->value += byte;
        break;
    case JOB_XOR:
        outcome->value ^= byte;
        break;
    default:
        outcome->value += byte == job->want;
    }
    outcome->bytes++;
}

static int work(int file, const struct job *job, struct outcome *outcome)
{
    unsigned char chunk[CHUNK];
    unsigned left = job->length;

    outcome->value = 0;
    outcome->bytes = 0;
    while (left > 0) {
        unsigned wanted = left < CHUNK ? left : CHUNK;
        long k, got = read(file, chunk, wanted);
        if (got < 0)
            return -1;
        if (got == 0)
            return 0;
        for (k = 0; k < got; k++)
            step(job, outcome, chunk[k]);
        left -= (unsigned)got;
    }
    return 0;
}

/* ---------------------------------------------------------- writing results */

static int write_result(const char *name, const struct outcome *outcome)
{
    unsigned char record[12];
    int file, error = 0;
    long put;

    file = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (file < 0)
        return -1;
    put_word(record, outcome->bytes);
    put_word(record + 4, (unsigned)outcome->value);
    put_word(record + 8, (unsigned)(outcome->value >> 32));
    put = write(file, record, sizeof record);
    if (put != (long)sizeof record)
        error = -1;
    if (close(file) < 0)
        error = -1;
    return error;
}

static int do_job(const char *from, const char *to, struct totals *totals)
{
    unsigned char header[HEADER];
    struct job job;
    struct outcome outcome;
    long got;
    int file = open_job(from);

    if (file < 0) {
        totals->refused++;
        return -1;
    }
    got = read_fully(file, header, HEADER);
    if (got < 0)
        goto failed;
    if (got < HEADER) {
        totals->refused++;
#ifndef BUG
        close(file);
#endif
        return -1;
    }
    if (parse_header(header, &job) < 0) {
        totals->refused++;
        close(file);
        return -1;
    }
    if (work(file, &job, &outcome) < 0)
        goto failed;
    close(file);
    if (write_result(to, &outcome) < 0) {
        totals->failed++;
        return -1;
    }
    totals->done++;
    return 0;
failed:
    totals->failed++;
    close(file);
    return -1;
}

/* -------------------------------------------------------------------- main */

int main(int argc, char **argv)
{
    struct totals totals = {0, 0, 0};
    int k;

    if (argc < 3) {
        fprintf(stderr, "usage: job_worker RESULTS JOB...\n");
        return 2;
    }
    for (k = 2; k < argc; k++)
        do_job(argv[k], argv[1], &totals);
    printf("%u done, %u refused, %u failed\n", totals.done, totals.refused, totals.failed);
    return totals.failed > 0;
}
