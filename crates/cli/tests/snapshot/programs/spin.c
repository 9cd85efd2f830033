/* Computes for so many seconds by the clock, on whatever CPUs it may have; with OpenMP, in all threads. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + 1e-9 * time.tv_nsec;
}

int main(int count, char **words)
{
    const double end = now() + (count > 1 ? atof(words[1]) : 1.0);
#pragma omp parallel
    {
        volatile double sum = 0;
        while (now() < end)
            for (int k = 0; k < 10000; k++)
                sum += k;
    }
    puts("spun");
    return 0;
}
