/* Phases by MPI_Pcontrol: rank 0 waits in phase 2 for the other, and nobody in phase 3. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 2; k++) {
        MPI_Pcontrol(2);
        usleep(rank ? 100000 : 20000);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Pcontrol(3, "with", "more");
        usleep(30000);
        MPI_Pcontrol(1);
    }
    MPI_Pcontrol(0);
    usleep(10000);
    MPI_Pcontrol(1);
    MPI_Pcontrol(5);
    usleep(10000);
    MPI_Pcontrol(-5);
    MPI_Pcontrol(-6);
    printf("done %d\n", rank);
    MPI_Finalize();
    return 0;
}
