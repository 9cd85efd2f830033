/* Two ranks in one way each time: what they print and how they end must not depend on being watched. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int errors_seen;
static void on_error(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    errors_seen += *code != MPI_SUCCESS;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "plain";
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(way, "abort") == 0) {
        if (rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 7);
        MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(way, "status") == 0) {
        MPI_Finalize();
        return 5;
    } else if (strcmp(way, "fatal") == 0) {
        MPI_Send(&sum, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
    } else if (strcmp(way, "handler") == 0) {
        MPI_Errhandler handler;
        MPI_Comm_create_errhandler(on_error, &handler);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        MPI_Send(&sum, 1, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
        MPI_Bcast(&sum, -1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Errhandler_free(&handler);
        printf("rank %d: %d errors\n", rank, errors_seen);
    } else {
        int got[2] = {-1, -1};
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Comm half;
        MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, statuses);
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 4, &got[1], 1, MPI_INT, (rank + size - 1) % size, 4,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Comm_free(&half);
        printf("rank %d got %d from %d tag %d, %d, sum %d\n", rank, got[0], statuses[0].MPI_SOURCE, statuses[0].MPI_TAG,
               got[1], sum);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
