/* One region with 20 explicit barriers: before the k-th, thread k % T works 2 units and the others 1. What all threads spend at barriers by
 * their own clocks is noted: a machine with other work makes it more than the truth on paper. */
#include <omp.h>

#include "truth.h"

enum { BARRIERS = 20 };

int main(void) {
    const double unit = unit_seconds();
    int threads = 1;
    double noted = 0;
#pragma omp parallel reduction(+ : noted)
    {
        const int t = omp_get_thread_num();
        const int n = omp_get_num_threads();
        if (t == 0)
            threads = n;
        for (int k = 0; k < BARRIERS; ++k) {
            work((k % n == t ? 2 : 1) * unit);
            const double before = now_seconds();
#pragma omp barrier
            noted += now_seconds() - before;
        }
    }
    const double n = threads;
    truth("threads", n);
    truth("barriers", BARRIERS * n);
    truth("useful_seconds", BARRIERS * unit * (n + 1));
    truth("barrier_seconds", n > 1 ? BARRIERS * unit * (n - 1) : 0);
    truth("noted_seconds", noted);
    truth("openmp_load_balance", (n + 1) / (2 * n));
    return 0;
}
