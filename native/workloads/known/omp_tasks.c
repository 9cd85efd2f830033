/* 40 tasks of 1 unit by a single thread, run by all in the barrier behind it; each tenth opens a region of one thread that works
 * another unit. A thread that runs a task in a barrier does not wait. */
#include <omp.h>

#include "truth.h"

enum { TASKS = 40 };

static void inner(double unit) {
#pragma omp parallel num_threads(1)
    work(unit);
}

int main(void) {
    const double unit = unit_seconds();
    char padding[64] = "a task's own copy of data";
#pragma omp parallel
#pragma omp single
    {
        for (int k = 0; k < TASKS; ++k) {
#pragma omp task firstprivate(k, padding)
            {
                if (padding[0] != 'a')
                    abort();
                work(unit);
                if (k % 10 == 0)
                    inner(unit);
            }
        }
#pragma omp taskwait
    }
    truth("tasks", TASKS);
    truth("inner_regions", TASKS / 10);
    truth("task_seconds", TASKS * unit);
    truth("inner_seconds", TASKS / 10 * unit);
    truth("useful_seconds", (TASKS + TASKS / 10) * unit);
    return 0;
}
