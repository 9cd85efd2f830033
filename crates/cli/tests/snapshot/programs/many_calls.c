/* Two ranks that send each other many small messages: how many, how many between two pauses of 10 ms (0: no pauses), and "killed", where rank 1 is to be
   killed then. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

int main(int count, char **words)
{
    int rank, x = 0;
    const int calls = count > 1 ? atoi(words[1]) : 10000, between = count > 2 ? atoi(words[2]) : 0;
    const struct timespec pause = { 0, 10000000 };
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < calls && rank < 2; k++) {
        if (between && k % between == 0)
            nanosleep(&pause, NULL);
        if (rank == k % 2)
            MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (count > 3 && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
