/* Two threads compute for 50 and 150 ms in a parallel region, behind 100 ms of one. Ends with status 3. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static void compute(double seconds) {
    double end = now() + seconds;
    while (now() < end) {}
}

int main(void) {
    compute(0.1);
#pragma omp parallel num_threads(2)
    compute(omp_get_thread_num() ? 0.05 : 0.15);
    puts("computed");
    fprintf(stderr, "nothing is wrong\n");
    return 3;
}
