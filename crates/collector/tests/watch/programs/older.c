/* Calls libgomp as code does that GCC before 4.9 made: the master opens a region, runs its function itself, and closes it. */
#include <stdbool.h>
#include <stdio.h>

void GOMP_parallel_start(void (*)(void *), void *, unsigned);
void GOMP_parallel_loop_dynamic_start(void (*)(void *), void *, unsigned, long, long, long, long);
void GOMP_parallel_end(void);
bool GOMP_loop_dynamic_next(long *, long *);
void GOMP_loop_end_nowait(void);

enum { ITERATIONS = 1000 };

static long sum, entered;

static void region(void *step) { __atomic_fetch_add(&entered, *(int *)step, __ATOMIC_RELAXED); }

static void loop(void *step) {
    long begin, end, mine = 0;
    while (GOMP_loop_dynamic_next(&begin, &end))
        for (long i = begin; i < end; ++i)
            mine += i * *(int *)step;
    GOMP_loop_end_nowait();
    __atomic_fetch_add(&sum, mine, __ATOMIC_RELAXED);
}

static void nested(void *step) {
    GOMP_parallel_start(region, step, 1);
    region(step);
    GOMP_parallel_end();
}

int main(void) {
    int step = 1;
    for (int k = 0; k < 5; ++k) {
        GOMP_parallel_start(region, &step, 2);
        region(&step);
        GOMP_parallel_end();
    }
    GOMP_parallel_loop_dynamic_start(loop, &step, 2, 0, ITERATIONS, 1, 3);
    loop(&step);
    GOMP_parallel_end();
    GOMP_parallel_start(nested, &step, 2);
    nested(&step);
    GOMP_parallel_end();
    printf("%ld %ld\n", entered, sum);
    return 0;
}
