// The kinds: what each worker does, for about half a second with one thread where memory is 1000 times slower than real.
#include "kinds.h"

#include <stdatomic.h>

enum { MIB = 1 << 20 };

static const double SECONDS = 0.6;

static void even(struct team *team, int k)
{
    (void)k;
    for (int step = 0; step < 20; step++) compute(team, SECONDS / 20 / team->threads);
}

static void chunks(struct team *team, int k)
{
    enum { CHUNKS = 18 };
    for (int chunk = k; chunk < CHUNKS; chunk += team->threads) compute(team, SECONDS / CHUNKS);
}

static void triangle(struct team *team, int k)
{
    double n = team->threads;
    for (int step = 0; step < 20; step++) compute(team, SECONDS / 20 * (2.0 * k + 1.0) / (n * n));
}

static void serial_part(struct team *team, int k)
{
    if (!k) compute(team, 0.15 * SECONDS);
    wait_for_all(team);
    for (int step = 0; step < 20; step++) compute(team, 0.85 * SECONDS / 20 / team->threads);
}

static void forks(struct team *team, int k)
{
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    for (int region = 0; region < 8; region++) {
        if (!k) compute(team, 0.05 * SECONDS / 8);
        wait_for_all(team);
        compute(team, 0.5 * SECONDS / 8 / team->threads);
        sweep(own + bytes / 8 / PAGE_BYTES * PAGE_BYTES * (size_t)region, bytes / 8 / PAGE_BYTES * PAGE_BYTES);
        wait_for_all(team);
    }
}

static void triad(struct team *team, int k)
{
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    size_t third = bytes / 3 / PAGE_BYTES * PAGE_BYTES;
    for (size_t at = 0; at < third; at += LINE_BYTES)
        *(volatile uint64_t *)(own + at) =
            *(volatile uint64_t *)(own + third + at) + 3 * *(volatile uint64_t *)(own + 2 * third + at);
}

// About 80 us each where memory is 1000 times slower.
enum { LOADS = 7000 };

static void chase_own(struct team *team, int k)
{
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    chase(own, bytes, (long)(LOADS * team->size) / team->threads, (uint64_t)k);
}

static void chase_shared(struct team *team, int k)
{
    chase(team->memory, team->bytes, (long)(LOADS * team->size) / team->threads, (uint64_t)k);
}

// Threads that are enough have their parts in their caches after the first round.
static void reuse(struct team *team, int k)
{
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    for (int round = 0; round < 8; round++) sweep(own, bytes);
}

static void mixed(struct team *team, int k)
{
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    for (size_t at = 0; at < bytes; at += 16 * PAGE_BYTES) {
        size_t here = bytes - at < 16 * PAGE_BYTES ? bytes - at : 16 * PAGE_BYTES;
        compute(team, 0.6 * SECONDS * (double)here / (double)team->bytes);
        sweep(own + at, here);
    }
}

// First all compute, then all sweep what one of them touched.
static void phases(struct team *team, int k)
{
    for (int step = 0; step < 20; step++) compute(team, 0.4 * SECONDS / 20 / team->threads);
    wait_for_all(team);
    size_t bytes;
    unsigned char *own = part(team, k, team->threads, &bytes);
    sweep(own, bytes);
}

// Each thread is a stage: it takes an item of the stage before it when that is done with it.
static void pipeline(struct team *team, int k)
{
    enum { ITEMS = 24 };
    static _Atomic int done[MOST_THREADS];
    size_t item = team->bytes / ITEMS / PAGE_BYTES * PAGE_BYTES;
    for (int at = 0; at < ITEMS; at++) {
        while (k && atomic_load(&done[k - 1]) <= at) {
            struct team pause = {.size = 1, .stretched = true};
            compute(&pause, 0.0005);
            compute_rest(&pause);
        }
        compute(team, 0.7 * SECONDS / ITEMS / team->threads);
        size_t slice = item / (size_t)team->threads / LINE_BYTES * LINE_BYTES;
        sweep(team->memory + item * (size_t)at + slice * (size_t)k, slice);
        compute_rest(team);
        atomic_store(&done[k], at + 1);
    }
}

// A lock that all need for an eighth of their work.
static void lock(struct team *team, int k)
{
    enum { ITEMS = 48 };
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    for (int item = k; item < ITEMS; item += team->threads) {
        compute(team, 0.875 * SECONDS / ITEMS);
        compute_rest(team);
        pthread_mutex_lock(&one);
        compute(team, 0.125 * SECONDS / ITEMS);
        compute_rest(team);
        pthread_mutex_unlock(&one);
    }
}

// Pieces of memory go to whoever is free.
static void queue(struct team *team, int k)
{
    (void)k;
    static _Atomic size_t next;
    for (;;) {
        size_t at = atomic_fetch_add(&next, 8 * PAGE_BYTES);
        if (at >= team->bytes) return;
        size_t left = team->bytes - at;
        sweep(team->memory + at, left < 8 * PAGE_BYTES ? left : 8 * PAGE_BYTES);
        compute(team, 0.2 * SECONDS * 8 * PAGE_BYTES / (double)team->bytes);
    }
}

// Each reads a piece of every other's part, as in a transposition.
static void exchange(struct team *team, int k)
{
    for (int other = 0; other < team->threads; other++) {
        size_t bytes;
        unsigned char *from = part(team, (k + other) % team->threads, team->threads, &bytes);
        size_t piece = bytes / (size_t)team->threads / LINE_BYTES * LINE_BYTES;
        sweep(from + piece * (size_t)k, piece);
        if (other % 4 == 3) wait_for_all(team);
    }
    for (int step = 0; step < 5; step++) compute(team, 0.2 * SECONDS / 5 / team->threads);
}

const struct kind kinds[] = {
    {"compute", "computes, evenly", 0, false, even},
    {"chunks", "computes in 18 equal chunks", 0, false, chunks},
    {"triangle", "computes a triangular loop: the last thread has the most", 0, false, triangle},
    {"serial-part", "computes, 15 % of it by one thread", 0, false, serial_part},
    {"forks", "forks and joins, with serial work between, on memory of its threads", 4 * MIB, false, forks},
    {"triad", "a = b + s c on memory of its threads", 6 * MIB, false, triad},
    {"triad-serial", "the same on memory that one thread touched", 6 * MIB, true, triad},
    {"chase", "each thread chases pointers in its own memory", 16 * MIB, false, chase_own},
    {"chase-shared", "all threads chase pointers in memory that one touched", 16 * MIB, true, chase_shared},
    {"reuse", "sweeps memory eight times, which fits the caches of enough threads", MIB, false, reuse},
    {"mixed", "computes and sweeps in turns", 4 * MIB, false, mixed},
    {"phases", "computes, then sweeps memory that one thread touched", 4 * MIB, true, phases},
    {"pipeline", "each thread is a stage of a pipeline", 3 * MIB, true, pipeline},
    {"lock", "computes, an eighth of it under a lock", 0, false, lock},
    {"queue", "pieces of memory that one touched go to whoever is free", 5 * MIB, true, queue},
    {"exchange", "each reads a piece of every other's memory", 5 * MIB, false, exchange},
    {0},
};
