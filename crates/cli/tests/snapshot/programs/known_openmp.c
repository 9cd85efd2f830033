/* Parallel regions whose truth each thread notes by its own clock. Computing leaves the processor, so that threads need none of their own. Prints, in
   seconds summed over threads: useful in regions, waiting at barriers, from a region's begin to its threads' own, in regions by the clock; then how
   often a CPU was taken from them. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "known.h"

enum { MOST = 16 };
static double begun[MOST], ended[MOST], useful, waiting, woken, regions;

static void note(double begin, double end, int threads) {
    for (int t = 0; t < threads; ++t) {
        useful += ended[t] - begun[t];
        waiting += end - ended[t];
        woken += begun[t] - begin;
    }
    regions += end - begin;
}

/* Thread t of T computes t + 1 units: a load balance of (T + 1) / (2 T). */
static void imbalance(int threads, double unit) {
    const double begin = now();
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        begun[t] = now();
        compute((t + 1) * unit);
        ended[t] = now();
    }
    note(begin, now(), threads);
}

/* 41 iterations of one unit: at best 41/48 of 12 threads. */
static void few_iterations(int threads, double unit) {
    const double begin = now();
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        begun[t] = now();
#pragma omp for schedule(dynamic, 1) nowait
        for (int k = 0; k < 41; ++k)
            compute(unit);
        ended[t] = now();
    }
    note(begin, now(), threads);
}

/* The same, as a compiler makes it without the runtime where it can. */
static void few_in_turn(int threads, double unit) {
    const double begin = now();
#pragma omp parallel num_threads(threads)
    {
        const int t = omp_get_thread_num();
        begun[t] = now();
#pragma omp for schedule(static) nowait
        for (int k = 0; k < 41; ++k)
            compute(unit);
        ended[t] = now();
    }
    note(begin, now(), threads);
}

/* How often a CPU was taken from a thread: what then lies between two clocks is not the same for both. */
static long disturbed(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "imbalance";
    const double unit = 0.005;
    if (strcmp(way, "serial") == 0)
        compute(60 * unit);
    if (strcmp(way, "few") == 0)
        for (int k = 0; k < 4; ++k)
            few_iterations(12, unit);
    else if (strcmp(way, "static") == 0)
        for (int k = 0; k < 4; ++k)
            few_in_turn(12, unit);
    else
        for (int k = 0; k < 4; ++k)
            imbalance(4, 4 * unit);
    printf("%.6f %.6f %.6f %.6f %ld\n", useful, waiting, woken, regions, disturbed());
    return 0;
}
