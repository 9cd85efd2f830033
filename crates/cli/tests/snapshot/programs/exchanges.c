/* Two ranks exchange a message in each of so many steps, with MPI_Irecv, MPI_Isend and MPI_Waitall; each tenth step ends with MPI_Barrier, to the
   first of which rank 1 comes 50 ms late. It begins 30 ms after MPI_Init. */
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static void pause_for(long milliseconds)
{
    const struct timespec time = { 0, milliseconds * 1000000 };
    nanosleep(&time, NULL);
}

int main(int count, char **words)
{
    const int steps = count > 1 ? atoi(words[1]) : 100;
    int rank, in, out = 1;
    MPI_Request both[2];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pause_for(30);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < steps; k++) {
        MPI_Irecv(&in, 1, MPI_INT, 1 - rank, k % 3, MPI_COMM_WORLD, &both[0]);
        MPI_Isend(&out, 1, MPI_INT, 1 - rank, k % 3, MPI_COMM_WORLD, &both[1]);
        MPI_Waitall(2, both, MPI_STATUSES_IGNORE);
        if (k == 9 && rank == 1)
            pause_for(50);
        if (k % 10 == 9)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
