/* Each of T threads works 10 times 1 unit in a critical section and nothing beside: one works, the others wait. The wait of all
 * is the sum of 0 .. T-1 sections at a time; the last to come out leaves the others at the barrier. The time of the region that a thread
 * is not at work by its own clock is noted: a machine with other work makes it more than the truth on paper. */
#include <omp.h>

#include "truth.h"

enum { SECTIONS = 10 };

int main(void) {
    const double unit = unit_seconds();
    int threads = 1;
    double worked = 0;
    const double begin = now_seconds();
#pragma omp parallel reduction(+ : worked)
    {
#pragma omp single
        threads = omp_get_num_threads();
        for (int k = 0; k < SECTIONS; ++k) {
#pragma omp critical(one)
            {
                const double before = now_seconds();
                work(unit);
                worked += now_seconds() - before;
            }
        }
    }
    const double region = now_seconds() - begin;
    const double n = threads;
    truth("threads", n);
    truth("sections", SECTIONS * n);
    truth("useful_seconds", SECTIONS * n * unit);
    /* Waiting for the section and at the barrier together: whoever does not work waits. */
    truth("waiting_seconds", SECTIONS * n * unit * (n - 1));
    truth("noted_seconds", n * region - worked);
    return 0;
}
