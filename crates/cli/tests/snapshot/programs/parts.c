/* Two parts: in the first the ranks have unequal work, in the second the same. Rank 0 prints the longest time of a rank in each, and the mean
   and the least time in MPI, by their own clocks: on a busy machine these are other figures each time. */
#include <mpi.h>
#include <numawise.h>
#include <stdio.h>
#include "known.h"

/* How long the part took, and the barrier in it. */
static void part(const char *name, double seconds, double times[2])
{
    double since = now();
    numawise_region_begin(name);
    compute(seconds);
    double comes = now();
    MPI_Barrier(MPI_COMM_WORLD);
    times[1] = now() - comes;
    numawise_region_end(name);
    times[0] = now() - since;
}

int main(int count, char **words)
{
    int rank;
    double own[4], all[8];
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    part("uneven", rank ? 0.3 : 0.1, own);
    part("even", 0.2, own + 2);
    MPI_Pcontrol(7);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    MPI_Gather(own, 4, MPI_DOUBLE, all, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int k = 0; !rank && k < 2; k++) {
        const double *one = all + 2 * k, *other = all + 4 + 2 * k;
        printf("%s %.6f %.6f %.6f\n", k ? "even" : "uneven", one[0] > other[0] ? one[0] : other[0], (one[1] + other[1]) / 2,
               one[1] < other[1] ? one[1] : other[1]);
    }
    MPI_Finalize();
    return 0;
}
