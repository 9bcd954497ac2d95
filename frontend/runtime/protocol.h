/* The file through which the parent (seahorn_py/evidence/runs/native.py), the launcher and the server
   communicate, open as descriptor 3.  It has a request, a response and the area of a run, each of
   whole pages.  All offsets are in bytes.  The launcher and the server write the response; a run can
   write into its area and nowhere else in the file. */
#ifndef SEA_PROTOCOL_H
#define SEA_PROTOCOL_H

#include "system.h"

enum { SHARED_FILE = 3, PROGRAM_FILE = 4 };

/* Where `program.lds` puts the code of the server.  Some system calls are allowed from there alone.
   No run has this memory.  The last instruction is that of fork. */
enum { SERVER_BEGIN = 0x400000, SERVER_END = 0x402000 };

/* Exit codes of a run; a signal is an end (undefined behaviour) or a limit (timers). */
enum { EXIT_END = 0, EXIT_LIMIT = 97, EXIT_BLOCKED = 98, EXIT_FAILED = 99 };

/* What a site reads after the given values: 0, or drawn values. */
enum { MODE_FEED = 0, MODE_DRAW = 1 };

/* The walls around a program: bits of `request.layers` (wanted) and `response.layers` (that hold). */
enum {
  LAYER_LIMITS = 1,
  LAYER_PRIVILEGES = 2,
  LAYER_SECCOMP = 4,
  LAYER_USER = 8,
  LAYER_MOUNT = 16,
  LAYER_NETWORK = 32,
  LAYER_IPC = 64,
  LAYER_UTS = 128,
  LAYER_PROCESSES = 256,
  LAYER_LANDLOCK = 512,
  LAYERS_REQUIRED = LAYER_LIMITS | LAYER_PRIVILEGES | LAYER_SECCOMP
};

struct request {
  u64 size;             /* of the request, whole pages */
  u64 response_size;    /* whole pages; the response begins at `size` */
  u64 area_size;        /* whole pages; the area begins where the response ends */
  u64 layers;           /* that the launcher makes */
  u64 bits;             /* 32 or 64 */
  u64 alone;            /* the program is one of `alone.c`, not of `start.c` */
  u64 parent;           /* the process that wrote this */
  u64 memory;           /* bytes of address space for the program and a run */
  u64 seconds;          /* of CPU time for the program and for a run: the outermost bound */
  u64 mode;
  u64 seed;             /* run i draws with seed + i */
  u64 runs;             /* at most so many */
  u64 keep;             /* the first runs, whose records are kept; of the others only the last */
  u64 stop;             /* at the first run that violates a check, or reads nothing and ends */
  u64 nanoseconds;      /* wall time for all runs */
  u64 microseconds;     /* CPU time for one run: the unit of the sequence in start.c, */
  u64 run_microseconds; /* and the most */
  u64 long_microseconds; /* for all runs that do not end in their time, together */
  u64 run_reads;        /* recorded inputs of one run */
  u64 log_reads;        /* entries of the log; no run is kept that leaves less than `run_reads` */
  u64 sites;            /* entries of `struct feed` at `sites_at`, by site number */
  u64 sites_at;
  u64 values_at;        /* `struct value`s, to which feeds refer by index */
  u64 words;            /* the dictionary: `struct value`s at `words_at` */
  u64 words_at;
  u64 texts;            /* texts of 32 bytes, filled up with 0, at `texts_at`; 0: no characters come in */
  u64 texts_at;
  u64 watch;            /* an access outside of all objects fails the check that asks about it */
  u64 records_at;       /* `keep` + 1 records, in the response */
  u64 log_at;           /* in the response */
};

struct value {
  u64 low, high;
};

/* `count` values from `next` on, or always 0, or drawn as an amount. */
enum { ALWAYS_ZERO = -1, AMOUNT = -2 };

struct feed {
  u64 next, count;
};

/* Why the end of a run says nothing: it left with EXIT_FAILED though no check failed, or it counted
   more inputs than there can be. */
enum { STRANGE_VERDICT = 1, STRANGE_COUNT = 2 };

struct record {
  u64 status; /* as wait4 reports it */
  u64 check;
  u64 first; /* index into the log */
  u64 reads;
  u64 strange; /* 0, or why */
};

struct read {
  u64 site;
  struct value value;
};

struct response {
  u64 layers; /* that hold: the launcher's word */
  u64 started;
  u64 runs;      /* that came to their end */
  u64 kept;      /* records before that of the last run */
  u64 running;   /* the last record is not complete */
  u64 secret[2]; /* random numbers of the parent, from which the server makes those of runs */
};

/* All that a run can tell.  `verdict` is the nonce of this run, if a check failed. */
struct area {
  u64 verdict;
  u64 check;
  u64 reads; /* entries of `log`, at most `run_reads` */
  u64 unused;
  struct read log[];
};

#endif
