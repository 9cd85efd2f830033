/* A serial part of 3 units before each of 20 regions of 1 unit: Amdahl. The first serial part comes before there are workers,
 * so the program opens an empty region first. Useful: 3 + T units of 4 T. */
#include <omp.h>

#include "truth.h"

enum { REGIONS = 20, SERIAL = 3 };

int main(void) {
    const double unit = unit_seconds();
    int threads = 1;
#pragma omp parallel
    {
#pragma omp single
        threads = omp_get_num_threads();
    }
    for (int k = 0; k < REGIONS; ++k) {
        work(SERIAL * unit);
#pragma omp parallel
        work(unit);
    }
    const double n = threads;
    truth("threads", n);
    truth("regions", REGIONS + 1);
    truth("useful_seconds", REGIONS * unit * (SERIAL + n));
    truth("idle_seconds", REGIONS * unit * SERIAL * (n - 1));
    truth("openmp_serialization", (SERIAL + n) / ((SERIAL + 1) * n));
    return 0;
}
