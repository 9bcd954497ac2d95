/* The file that the run time shares with its parent (seahorn_py/evidence/native.py), open as
   descriptor 3: first a request, then, at a page border, the response.  All offsets are in bytes.
   The request is mapped privately, so a run cannot change it for later runs. */
#ifndef SEA_PROTOCOL_H
#define SEA_PROTOCOL_H

#include "system.h"

enum { SHARED_FILE = 3 };

/* Exit codes of a run; a signal is an end (undefined behaviour) or a limit (timers). */
enum { EXIT_END = 0, EXIT_LIMIT = 97, EXIT_BLOCKED = 98, EXIT_FAILED = 99 };

/* What comes after the values given for a site: 0, or drawn values. */
enum { MODE_FEED = 0, MODE_DRAW = 1 };

struct request {
  u64 size;             /* of the request, whole pages */
  u64 response_size;    /* whole pages; the response begins at `size` */
  u64 mode;
  u64 seed;             /* run i draws with seed + i */
  u64 runs;             /* at most so many */
  u64 keep;             /* the first runs, whose records are kept; of the others only the last */
  u64 stop;             /* at the first run that violates a check */
  u64 nanoseconds;      /* wall time for all runs */
  u64 microseconds;     /* CPU time for one run: the unit of the sequence in start.c, */
  u64 run_microseconds; /* and the most */
  u64 memory;           /* bytes of address space for a run */
  u64 run_reads;        /* recorded inputs of one run */
  u64 log_reads;        /* entries of the log; no run is kept that leaves less than `run_reads` */
  u64 sites;            /* entries of `struct feed` at `sites_at`, by site number */
  u64 sites_at;
  u64 values_at;        /* `struct value`s, to which feeds refer by index */
  u64 words;            /* the dictionary: `struct value`s at `words_at` */
  u64 words_at;
  u64 records_at;       /* `keep` + 1 records, in the response */
  u64 log_at;           /* in the response */
};

struct value {
  u64 low, high;
};

/* `count` values from `next` on, or always 0. */
enum { ALWAYS_ZERO = -1 };

struct feed {
  u64 next, count;
};

struct record {
  u64 status; /* as wait4 reports it */
  u64 check;
  u64 first; /* index into the log */
  u64 reads;
};

struct read {
  u64 site;
  struct value value;
};

struct response {
  u64 started;
  u64 runs;    /* that came to their end */
  u64 kept;    /* records before that of the last run */
  u64 running; /* the last record belongs to a run that is going on */
  u64 check; /* of the run that is going on */
  u64 reads; /* of the run that is going on, at most `run_reads` */
};

#endif
