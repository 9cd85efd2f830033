/* Two ranks of 4 units: rank 0 computes for 2 and rank 1 for 3, and both are in MPI for the rest. Rank 1 waits for the first unit of
   rank 0, then rank 0 for all of rank 1. On paper: parallel efficiency 0.625, MPI communication 0.75, MPI load balance 0.8333.
   Computing leaves the processor, so that ranks need none of their own; each prints what its own clock says: rank, seconds outside of MPI, in MPI,
   between MPI_Init and MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include "known.h"

int main(int argc, char **argv) {
    const double unit = 0.1;
    int rank, word = 0;
    MPI_Init(&argc, &argv);
    double begin = now();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double in_mpi = now() - begin, before;
    if (rank == 0) {
        compute(unit);
        before = now();
        MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        in_mpi += now() - before;
        compute(unit);
        before = now();
        MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        in_mpi += now() - before;
    } else {
        before = now();
        MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        in_mpi += now() - before;
        compute(3 * unit);
        before = now();
        MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        in_mpi += now() - before;
    }
    const double elapsed = now() - begin;
    MPI_Finalize();
    char line[96];
    snprintf(line, sizeof line, "%d %.6f %.6f %.6f\n", rank, elapsed - in_mpi, in_mpi, elapsed);
    fputs(line, stdout);
    return 0;
}
