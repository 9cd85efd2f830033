// What the cases share: a job, memory, accesses whose number and order are known, and teams of threads or processes.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES = 64, PAGE_BYTES = 4096, MOST_THREADS = 256 };

struct job {
    size_t bytes;  // of all threads together
    long rounds;   // how often, in the unit of the case
    int threads;
    char **rest;   // what follows the numbers: a file, or a command
    bool check;    // the whole result is checked, which reads all memory once more
};

struct entry {
    const char *name;
    const char *what;
    void (*run)(const struct job *);
};

// The cases of each file; each table ends with an entry without a name.
extern const struct entry thread_cases[], pattern_cases[], process_cases[], own_cases[], idle_cases[];

// Seconds since some moment.
double now(void);
// Ends the program with status 1 and says why.
_Noreturn void fail(const char *what);
_Noreturn void wrong(const char *what);

// Memory without pages: who touches them first decides where they lie.
unsigned char *private_memory(size_t bytes);
unsigned char *shared_memory(size_t bytes);
// Writes one word in each page.
void touch(unsigned char *memory, size_t bytes);
// Adds 1 to a word of each line, in order: bound by bandwidth.
void sweep(unsigned char *memory, size_t bytes, long rounds);
// Whether each line was swept so often. `touch` counts as nothing.
bool swept(const unsigned char *memory, size_t bytes, long rounds);
// Sums a word of each line, in order.
uint64_t sweep_reading(const unsigned char *memory, size_t bytes, long rounds);
// Reads lines at random, each where the one before says: bound by latency. The lines hold no numbers.
void walk(const unsigned char *memory, size_t bytes, long accesses, uint64_t seed);
// Adds 1 at random places, so often.
void scatter(unsigned char *memory, size_t bytes, long accesses, uint64_t seed);
// The sum of what was scattered.
uint64_t scattered(const unsigned char *memory, size_t bytes);
// Arithmetic in registers. Always the same number for the same steps.
double compute(long steps);

// The k-th of `parts` equal parts; whole pages.
struct part { unsigned char *memory; size_t bytes; };
struct part part(unsigned char *memory, size_t bytes, int k, int parts);

// CASES_PIN, a list such as 0,2,1,3: worker k holds itself to the CPU that stands there. Not set: nothing is done.
void pin_by_hand(int k);

// Runs this in so many new threads, or processes, and waits for all; k counts them.
typedef void work(int k, void *shared);
void in_threads(int threads, work *run, void *shared);
void in_processes(int processes, work *run, void *shared);
