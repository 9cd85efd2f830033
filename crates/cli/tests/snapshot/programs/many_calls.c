/* Two ranks that send each other many small messages. */
#include <mpi.h>

int main(int count, char **words)
{
    int rank, x = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 10000 && rank < 2; k++) {
        if (rank == k % 2)
            MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
