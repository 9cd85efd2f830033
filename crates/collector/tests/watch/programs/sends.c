/* Ten messages from rank 0 to rank 1. */
#include <mpi.h>

int main(void) {
    int rank, value = 0;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 10; ++k)
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
