/* What a parallel region, a barrier and a dynamic chunk cost, in nanoseconds: the median of many short rounds, and the least.
 * For scripts/bench-openmp, which runs it with nothing, a bare wrapper and the collector preloaded, in turns. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 200, REGIONS = 200, BARRIERS = 500, CHUNKS = 20000 };

static volatile int sink[64 * 16];

static double now_nanoseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, double *of) {
    qsort(of, ROUNDS, sizeof *of, ascending);
    printf("%s %.1f %.1f\n", name, of[ROUNDS / 2], of[ROUNDS / 20]);
}

int main(void) {
    static double region[ROUNDS], barrier[ROUNDS], chunk[ROUNDS];
    for (int round = 0; round < ROUNDS; ++round) {
        double begin = now_nanoseconds();
        for (int k = 0; k < REGIONS; ++k) {
#pragma omp parallel
            sink[omp_get_thread_num() % 64 * 16] = k;
        }
        region[round] = (now_nanoseconds() - begin) / REGIONS;
#pragma omp parallel
        {
            double start = now_nanoseconds();
            for (int k = 0; k < BARRIERS; ++k) {
#pragma omp barrier
            }
            if (omp_get_thread_num() == 0)
                barrier[round] = (now_nanoseconds() - start) / BARRIERS;
        }
        begin = now_nanoseconds();
#pragma omp parallel
        {
            const int t = omp_get_thread_num() % 64 * 16;
#pragma omp for schedule(dynamic, 1)
            for (int k = 0; k < CHUNKS; ++k)
                sink[t] = k;
        }
        chunk[round] = (now_nanoseconds() - begin) / CHUNKS;
    }
    print("region", region);
    print("barrier", barrier);
    print("chunk", chunk);
    return 0;
}
