// What the kinds of programs share: a team of threads, computing that can be stretched, and memory.
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, MOST_THREADS = 256 };

// A team does its work once; worker 0 is the first thread of the process, as in OpenMP.
struct team {
    int threads;
    double size;      // of all work, 1 as it is meant
    bool stretched;   // computing is a sleep: a core of an emulated machine computes whatever the others do
    pthread_barrier_t barrier;
    unsigned char *memory;
    size_t bytes;
};

struct kind {
    const char *name;
    const char *what;
    size_t bytes;          // memory of all threads together
    bool is_touched_by_one;
    void (*work)(struct team *, int k);
};

extern const struct kind kinds[];

// Computes for so many seconds of work, the same work on every machine.
void compute(struct team *, double seconds);
// What compute still owes when a worker ends.
void compute_rest(struct team *);
// Adds 1 to a word of each line, in order.
void sweep(unsigned char *memory, size_t bytes);
// Follows random lines, so many.
void chase(const unsigned char *memory, size_t bytes, long loads, uint64_t seed);
// The k-th of n equal parts of the team's memory, in whole pages.
unsigned char *part(const struct team *, int k, int n, size_t *bytes);
void wait_for_all(struct team *);
_Noreturn void fail(const char *what);
