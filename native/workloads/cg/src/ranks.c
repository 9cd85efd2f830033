#include "ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef CG_MPI
#include <mpi.h>
#endif

Ranks ranks_begin(int *argc, char ***argv) {
    Ranks ranks = {0, 1, NULL, NULL};
#ifdef CG_MPI
    int given;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks.size);
#else
    (void)argc;
    (void)argv;
#endif
    return ranks;
}

void ranks_share(Ranks *ranks, int rows) {
    ranks->rows = malloc((size_t)ranks->size * sizeof(int));
    ranks->first = malloc((size_t)ranks->size * sizeof(int));
    if (ranks->rows == NULL || ranks->first == NULL) {
        fputs("cg: no memory for the ranks\n", stderr);
        exit(1);
    }
    for (int rank = 0; rank < ranks->size; ++rank) {
        ranks->first[rank] = (int)((long long)rows * rank / ranks->size);
        ranks->rows[rank] = (int)((long long)rows * (rank + 1) / ranks->size) - ranks->first[rank];
    }
}

double ranks_sum(double own) {
#ifdef CG_MPI
    MPI_Allreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
#endif
    return own;
}

void ranks_gather(const Ranks *ranks, const double *own, double *whole) {
#ifdef CG_MPI
    MPI_Allgatherv(own, ranks->rows[ranks->rank], MPI_DOUBLE, whole, ranks->rows, ranks->first, MPI_DOUBLE,
                   MPI_COMM_WORLD);
#else
    memcpy(whole, own, (size_t)ranks->rows[0] * sizeof(double));
#endif
}

void ranks_wait(void) {
#ifdef CG_MPI
    MPI_Barrier(MPI_COMM_WORLD);
#endif
}

double ranks_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void ranks_end(Ranks *ranks) {
    free(ranks->rows);
    free(ranks->first);
#ifdef CG_MPI
    MPI_Finalize();
#endif
}
