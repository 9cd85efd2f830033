/* Rank 0 sends early: what is too large for a buffer, then a word. Rank 1 comes 5 ms late to each, the last times with a request that it
   waits for, which rank 0 answers 5 ms later. Then rank 0 sends early to a request, and both wait for a barrier, and for two requests at once. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void spend(double seconds)
{
    struct timespec length = {0, (long)(seconds * 1e9)};
    nanosleep(&length, 0);
}

int main(int count, char **words)
{
    enum { TURNS = 20, BYTES = 8 << 20 };
    int rank, word = 0;
    char *large = calloc(1, BYTES);
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < TURNS; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(large, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        else {
            spend(0.005);
            MPI_Recv(large, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    for (int k = 0; k < TURNS; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else {
            spend(0.005);
            MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    for (int k = 0; k < 8; k++) {
        MPI_Request request;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            spend(0.005);
            MPI_Isend(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
        } else {
            MPI_Irecv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int k = 0; k < 8; k++) {
        MPI_Request request;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Ssend(large, BYTES, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
        else {
            spend(0.005);
            MPI_Irecv(large, BYTES, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    for (int k = 0; k < 8; k++) {
        MPI_Request request, requests[2];
        MPI_Status statuses[2];
        int words[2] = {0, 0};
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Irecv(&words[0], 1, MPI_INT, !rank, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&words[1], 1, MPI_INT, !rank, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
    }
    if (!rank)
        puts("late");
    MPI_Finalize();
    return 0;
}
