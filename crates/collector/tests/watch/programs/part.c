/* A library with OpenMP that a program opens: opens a region while it is loaded, and when it is called. */
#include <omp.h>

static int loaded;

__attribute__((constructor)) static void begin(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp barrier
#pragma omp critical
        ++loaded;
    }
}

int sum_to(int n) {
    int sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 3) num_threads(2)
    for (int i = 0; i < n; ++i)
        sum += i;
    return sum + loaded;
}
