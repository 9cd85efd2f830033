/* Two parts: in the first the ranks have unequal work, in the second the same. */
#include <mpi.h>
#include <numawise.h>
#include <stdio.h>
#include <unistd.h>

int main(int count, char **words)
{
    int rank;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    numawise_region_begin("uneven");
    usleep(rank ? 300000 : 100000);
    MPI_Barrier(MPI_COMM_WORLD);
    numawise_region_end("uneven");
    numawise_region_begin("even");
    usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
    numawise_region_end("even");
    MPI_Pcontrol(7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    if (!rank)
        puts("parts");
    MPI_Finalize();
    return 0;
}
