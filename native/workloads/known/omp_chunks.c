/* 2,000,000 iterations of next to nothing, fetched one by one: scheduling is what takes the time. The share of it is not known on
 * paper, but counts are, and it must be found to be the larger part. */
#include <omp.h>

#include "truth.h"

enum { ITERATIONS = 2000000 };

static volatile unsigned sink[64 * 16];

int main(void) {
    int threads = 1;
#pragma omp parallel
    {
        if (omp_get_thread_num() == 0)
            threads = omp_get_num_threads();
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < ITERATIONS; ++i)
            sink[omp_get_thread_num() % 64 * 16] += (unsigned)i;
    }
    truth("threads", threads);
    truth("chunks", ITERATIONS);
    truth("iterations", ITERATIONS);
    return 0;
}
