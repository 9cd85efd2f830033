/* Two threads, each of which opens regions of two: thread t of an inner one computes t + 1 units. Prints what the threads of the inner regions note by
   their own clock, in seconds summed over threads: useful, waiting at barriers, in regions by the clock; then how often a CPU was taken from them. */
#include <omp.h>
#include <stdio.h>
#include <sys/resource.h>
#include "known.h"

/* How often a CPU was taken from a thread: what then lies between two clocks is not the same for both. */
static long disturbed(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nivcsw;
}

int main(void) {
    double useful = 0, waiting = 0, inside = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : useful, waiting, inside)
    for (int k = 0; k < 5; ++k) {
        double begun[2], ended[2];
        const double begin = now();
#pragma omp parallel num_threads(2)
        {
            const int t = omp_get_thread_num();
            begun[t] = now();
            compute((t + 1) * 0.02);
            ended[t] = now();
        }
        const double end = now();
        for (int t = 0; t < 2; ++t) {
            useful += ended[t] - begun[t];
            waiting += end - ended[t];
        }
        inside += end - begin;
    }
    printf("%.6f %.6f %.6f %ld\n", useful, waiting, inside, disturbed());
    return 0;
}
