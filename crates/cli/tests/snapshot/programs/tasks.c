/* Two threads and a task, which thread 1 takes while thread 0 rests. In milliseconds: the task takes 100, thread 0 rests for 20 and waits for it, and then
   rests for 50, for which thread 1 waits. The argument is what a millisecond takes, in microseconds. It prints what its own clock says: seconds of
   waiting for the task, at the end, and whether thread 1 had the task. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "known.h"

int main(int count, char **words) {
    const double unit = (count > 1 ? atoi(words[1]) : 1000) * 1e-6;
    double for_task = 0, done = 0, ended = 0;
    int by = 0;
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
#pragma omp task shared(by, done)
        {
            compute(100 * unit);
            by = omp_get_thread_num();
            done = now();
        }
        compute(20 * unit);
        const double before = now();
#pragma omp taskwait
        for_task = now() - before;
        compute(50 * unit);
        ended = now();
    }
    printf("%.6f %.6f %d\n", for_task, ended - done, by);
    return 0;
}
