/* Rank 0 calls MPI at more places than are told apart, and then makes a collective call at a new one: its other collective calls are still those of
   the other rank. */
#include <mpi.h>

static int rank, flag;

#define P MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
#define P10 P P P P P P P P P P
#define P100 P10 P10 P10 P10 P10 P10 P10 P10 P10 P10

__attribute__((noinline)) static void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    meet();
    if (rank == 0) {
        P100 P100 P100 P100
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 3; k++)
        meet();
    MPI_Finalize();
    return 0;
}
