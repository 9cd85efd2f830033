/* A loop of 41 iterations of 1 unit, by default on 12 threads: the longest share is 4, so at best 41/48 of the time is used.
 * A static loop, which the compiler makes without asking libgomp, then one whose chunks the runtime gives out. */
#include <omp.h>

#include "truth.h"

enum { ITERATIONS = 41, REPEAT = 10 };

int main(int argc, char **argv) {
    const double unit = unit_seconds();
    const int threads = argc > 1 ? atoi(argv[1]) : 12;
    for (int k = 0; k < REPEAT; ++k) {
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int i = 0; i < ITERATIONS; ++i)
            work(unit);
    }
    for (int k = 0; k < REPEAT; ++k) {
#pragma omp parallel num_threads(threads)
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < ITERATIONS; ++i)
            work(unit);
    }
    const int longest = (ITERATIONS + threads - 1) / threads;
    truth("threads", threads);
    truth("iterations", ITERATIONS * REPEAT);
    truth("useful_seconds", 2.0 * REPEAT * unit * ITERATIONS);
    truth("barrier_seconds", 2.0 * REPEAT * unit * (longest * threads - ITERATIONS));
    truth("openmp_load_balance", (double)ITERATIONS / (longest * threads));
    return 0;
}
