/* Two ranks that take turns to come late, to a collective call and with a message: each computes as long as the other. */
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
    enum { TURNS = 2000, BYTES = 1 << 20 };
    int rank, sum;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < TURNS; k++) {
        if (k % 2 == rank)
            spend(0.0005);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int k = 0; k < 20; k++) {
        if (rank == 1) {
            spend(0.005);
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    char *out = calloc(1, BYTES), *in = calloc(1, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < 200; k++)
        MPI_Sendrecv(out, BYTES, MPI_CHAR, 1 - rank, 0, in, BYTES, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (!rank)
        puts("in turn");
    MPI_Finalize();
    return 0;
}
