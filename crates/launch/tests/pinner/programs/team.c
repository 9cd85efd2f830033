// A library with a team of OpenMP.
#include <omp.h>
#include <stdlib.h>

#include "mask.h"

void work(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int k = 0; k < omp_get_num_threads(); ++k)
#pragma omp ordered
    tell("openmp", omp_get_thread_num());
}
