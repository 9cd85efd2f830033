/* Rank 0 says how many ranks and threads there are, and which number of threads it was given. Work of 0.4 s is shared among all; each rank
   then waits 0.1 s, and with "fail" a rank alone ends with status 3. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void rest(double seconds) {
    struct timespec t = {(long)seconds, (long)((seconds - (long)seconds) * 1e9)};
    nanosleep(&t, 0);
}

int main(int count, char **words) {
    int rank, size;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) printf("%d ranks, %d threads, %s asked\n", size, omp_get_max_threads(), words[1]);
    fflush(stdout);
#pragma omp parallel
    rest(0.4 / size / omp_get_num_threads());
    rest(size == 1 ? 0.6 : 0.1);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return count > 2 && !strcmp(words[2], "fail") && size == 1 ? 3 : 0;
}
