/* Two ranks of two threads: thread 0 of rank 0 rests for 200 ms, of rank 1 for 300, thread 1 of both for 100; then the ranks meet. On paper, of
   4 x 300 ms: useful 700, waiting in the region 100 + 200, rank 0 in MPI for 100, in which its other thread idles. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <time.h>

static void rest(double seconds) {
    struct timespec t = {0, (long)(seconds * 1e9)};
    nanosleep(&t, 0);
}

int main(int count, char **words) {
    int rank, given;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
#pragma omp parallel num_threads(2)
    rest(omp_get_thread_num() ? 0.1 : rank ? 0.3 : 0.2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    if (rank == 0) puts("both were there");
    return 0;
}
