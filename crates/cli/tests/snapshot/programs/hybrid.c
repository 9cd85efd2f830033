/* Two ranks of two threads: thread 0 of rank 0 rests for 200 ms, of rank 1 for 300, thread 1 of both for 100; then the ranks meet. On paper, of
   4 x 300 ms: useful 700, waiting in the region 100 + 200, rank 0 in MPI for 100, in which its other thread idles. Each rank prints what its own
   clock says: rank, seconds between MPI_Init and MPI_Finalize, in MPI, in the region, and for both threads until they began in the region
   and in which they rested. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include "known.h"

static double in_mpi;

static void meet(void) {
    const double before = now();
    MPI_Barrier(MPI_COMM_WORLD);
    in_mpi += now() - before;
}

int main(int count, char **words) {
    int rank, given;
    double late[2], rested[2];
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &given);
    const double begin = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    meet();
    const double before = now();
#pragma omp parallel num_threads(2)
    {
        const int thread = omp_get_thread_num();
        const double started = now();
        late[thread] = started - before;
        compute(thread ? 0.1 : rank ? 0.3 : 0.2);
        rested[thread] = now() - started;
    }
    const double region = now() - before;
    meet();
    const double elapsed = now() - begin;
    MPI_Finalize();
    char line[128];
    snprintf(line, sizeof line, "%d %.6f %.6f %.6f %.6f %.6f %.6f %.6f\n", rank, elapsed, in_mpi, region, late[0], late[1], rested[0], rested[1]);
    fputs(line, stdout);
    return 0;
}
