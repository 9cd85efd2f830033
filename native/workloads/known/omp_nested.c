/* 2 threads, each of which opens a region of 2: thread t of the inner ones works t + 1 units, so one of each pair waits 1 unit. */
#include <omp.h>

#include "truth.h"

enum { REPEAT = 10 };

int main(void) {
    const double unit = unit_seconds();
    omp_set_max_active_levels(2);
    for (int k = 0; k < REPEAT; ++k) {
#pragma omp parallel num_threads(2)
        {
            work(unit);
#pragma omp parallel num_threads(2)
            work((omp_get_thread_num() + 1) * unit);
        }
    }
    truth("outer_regions", REPEAT);
    truth("inner_regions", 2 * REPEAT);
    truth("outer_useful_seconds", 2 * REPEAT * unit);
    truth("inner_useful_seconds", 6 * REPEAT * unit);
    truth("inner_barrier_seconds", 2 * REPEAT * unit);
    truth("useful_seconds", 8 * REPEAT * unit);
    return 0;
}
