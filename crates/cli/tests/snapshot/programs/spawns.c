/* One rank that starts two more, which meet twenty times: two MPI_COMM_WORLDs that are there at the same time. */
#include <mpi.h>
#include <unistd.h>

int main(int count, char **words) {
    MPI_Init(&count, &words);
    MPI_Comm other;
    MPI_Comm_get_parent(&other);
    int rank, told = 7;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (other == MPI_COMM_NULL) {
        MPI_Comm_spawn(words[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &other, MPI_ERRCODES_IGNORE);
        MPI_Recv(&told, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE);
    } else {
        for (int k = 0; k < 20; k++) {
            usleep(5000 * (rank + 1));
            MPI_Barrier(MPI_COMM_WORLD);
        }
        if (rank == 0)
            MPI_Send(&told, 1, MPI_INT, 0, 1, other);
    }
    MPI_Comm_disconnect(&other);
    MPI_Finalize();
    return 0;
}
