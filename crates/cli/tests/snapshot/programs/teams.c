/* Ranks of two threads that rest, so that each wait is known on paper. In milliseconds, of each rank:
   - 50 alone, in the phase "setup";
   - a region in which thread 0 waits 100 for thread 1 at a barrier, behind which both rest for 20;
   - the phase "solve", twice: a region at whose end thread 1 waits 100 for thread 0; 30 alone, in rank 1 80; MPI_Barrier;
   - a region whose two threads open one of two threads each: the thread that opens it rests for 20, the other one for 60;
   - a region in which each of two threads is in a critical section for 30.
   The argument is what a millisecond takes, in microseconds. Each rank prints what its own clock says: rank, seconds between MPI_Init and
   MPI_Finalize, in MPI, alone, and that threads wait at the barrier, at the end of the region of the phase, of those in a region, for the critical
   section, and at the end of the region with it. */
#include <mpi.h>
#include <numawise.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "known.h"

static double unit;

static void rest(int times) {
    compute(times * unit);
}

static double barrier_waits, end_waits;

static void at_barrier(void) {
#pragma omp parallel num_threads(2)
    {
        rest(omp_get_thread_num() ? 150 : 50);
        const double before = now();
#pragma omp barrier
        if (omp_get_thread_num() == 0)
            barrier_waits += now() - before;
        rest(20);
    }
}

static void at_end(void) {
    double ended = 0;
#pragma omp parallel num_threads(2)
    {
        rest(omp_get_thread_num() ? 20 : 120);
        if (omp_get_thread_num())
            ended = now();
    }
    end_waits += now() - ended;
}

static double nested_waits;

static void nested(void) {
    double waits = 0;
#pragma omp parallel num_threads(2) reduction(+ : waits)
    {
        double ended[2];
#pragma omp parallel num_threads(2)
        {
            rest(omp_get_thread_num() ? 60 : 20);
            ended[omp_get_thread_num()] = now();
        }
        const double end = now();
        waits += end - ended[0] + end - ended[1];
    }
    nested_waits = waits;
}

static double lock_waits, waits_behind;

static void critical(void) {
    double began[2], ended[2], locked = 0;
#pragma omp parallel num_threads(2) reduction(+ : locked)
    {
        began[omp_get_thread_num()] = now();
#pragma omp critical
        {
            locked += now() - began[omp_get_thread_num()];
            rest(30);
        }
        ended[omp_get_thread_num()] = now();
    }
    const double end = now();
    lock_waits = locked;
    waits_behind = end - ended[0] + end - ended[1];
}

int main(int count, char **words) {
    int rank, given;
    double alone = 0, in_mpi = 0;
    unit = (count > 1 ? atoi(words[1]) : 1000) * 1e-6;
    omp_set_max_active_levels(2);
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &given);
    const double begin = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    numawise_region_begin("setup");
    double before = now();
    rest(50);
    alone += now() - before;
    numawise_region_end("setup");
    at_barrier();
    for (int k = 0; k < 2; ++k) {
        numawise_region_begin("solve");
        at_end();
        before = now();
        rest(rank == 1 ? 80 : 30);
        alone += now() - before;
        before = now();
        MPI_Barrier(MPI_COMM_WORLD);
        in_mpi += now() - before;
        numawise_region_end("solve");
    }
    nested();
    MPI_Pcontrol(2);
    critical();
    MPI_Pcontrol(1);
    const double elapsed = now() - begin;
    MPI_Finalize();
    char line[160];
    snprintf(line, sizeof line, "%d %.6f %.6f %.6f %.6f %.6f %.6f %.6f %.6f\n", rank, elapsed, in_mpi, alone, barrier_waits, end_waits,
             nested_waits, lock_waits, waits_behind);
    fputs(line, stdout);
    return 0;
}
