/* Thread t of T works t + 1 units, in each of 20 regions: the others wait for the last one.
 * Useful: T (T + 1) / 2 units of T * T, so a load balance of (T + 1) / (2 T). */
#include <omp.h>

#include "truth.h"

enum { REGIONS = 20 };

int main(void) {
    const double unit = unit_seconds();
    int threads = 1;
    for (int k = 0; k < REGIONS; ++k) {
#pragma omp parallel
        {
            const int t = omp_get_thread_num();
            if (t == 0)
                threads = omp_get_num_threads();
            work((t + 1) * unit);
        }
    }
    const double n = threads;
    truth("threads", n);
    truth("regions", REGIONS);
    truth("useful_seconds", REGIONS * unit * n * (n + 1) / 2);
    truth("barrier_seconds", REGIONS * unit * n * (n - 1) / 2);
    truth("openmp_load_balance", (n + 1) / (2 * n));
    truth("potential_gain_seconds", REGIONS * unit * (n - 1) / 2);
    return 0;
}
