/* What small calls of MPI cost, in nanoseconds: the median of short rounds, and the 5th percentile. For scripts/bench-mpi, which
 * runs it with nothing, with wrappers that only time, and with the collector, in turns. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 100, CALLS = 5000, PINGS = 500 };

static double of[ROUNDS];

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print(const char *name, int rank) {
    qsort(of, ROUNDS, sizeof *of, ascending);
    if (rank == 0)
        printf("%s %.1f %.1f\n", name, of[ROUNDS / 2], of[ROUNDS / 20]);
}

int main(int argc, char **argv) {
    int rank, size, flag;
    double in = 1, out;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < ROUNDS; ++round) {
        const double begin = MPI_Wtime();
        for (int k = 0; k < CALLS; ++k)
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        of[round] = (MPI_Wtime() - begin) * 1e9 / CALLS;
    }
    print("allreduce", rank);
    for (int round = 0; round < ROUNDS; ++round) {
        const double begin = MPI_Wtime();
        for (int k = 0; k < CALLS; ++k)
            MPI_Iprobe(MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        of[round] = (MPI_Wtime() - begin) * 1e9 / CALLS;
    }
    print("iprobe", rank);
    for (int round = 0; size == 2 && round < ROUNDS; ++round) {
        const double begin = MPI_Wtime();
        for (int k = 0; k < PINGS; ++k) {
            if (rank == 0)
                MPI_Send(&in, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&in, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (rank == 1)
                MPI_Send(&in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        }
        /* A way: one send and one receive. */
        of[round] = (MPI_Wtime() - begin) * 1e9 / (2 * PINGS);
    }
    if (size == 2)
        print("ping-pong", rank);
    MPI_Finalize();
    return 0;
}
