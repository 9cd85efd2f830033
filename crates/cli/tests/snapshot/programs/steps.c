/* A ring of ranks: in each of STEPS steps one rank computes for SLOW ms and the others for FAST, then each waits for the one before it. Which rank
   is slow: WHO, or, where that is below 0, another one in each step. */
#include <mpi.h>
#include <stdlib.h>
#include "known.h"

__attribute__((noinline)) static void exchange(int rank, int ranks)
{
    int x = rank, y;
    MPI_Request requests[2];
    MPI_Irecv(&y, 1, MPI_INT, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&x, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int count, char **words)
{
    int rank, ranks;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int steps = atoi(words[1]), who = atoi(words[4]);
    for (int step = 0; step < steps; step++) {
        int slow = who < 0 ? step % ranks : who;
        compute(1e-3 * atof(words[rank == slow ? 2 : 3]));
        exchange(rank, ranks);
        if (step % 5 == 4)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
