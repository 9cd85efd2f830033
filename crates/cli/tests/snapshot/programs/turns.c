/* Two ranks that take turns to come late, to a collective call and with a message. Rank 0 prints how long calls took, and how long of that they
   waited, by its own clock: on a busy machine that is another figure each time. They are few enough for each to be kept. An argument is how many
   turns they take, where fewer do. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "known.h"

enum { TURNS = 150, MESSAGES = 20, BYTES = 1 << 20 };

static double least(double one, double other)
{
    return one < other ? one : other;
}

int main(int count, char **words)
{
    int rank, sum;
    double collective[TURNS], begin[MESSAGES], end[MESSAGES], all[2 * TURNS], begins[2 * MESSAGES], ends[2 * MESSAGES];
    MPI_Init(&count, &words);
    const int turns = count > 1 ? atoi(words[1]) : TURNS;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < turns; k++) {
        if (k % 2 == rank)
            compute(0.003);
        double since = now();
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        collective[k] = now() - since;
    }
    for (int k = 0; k < MESSAGES; k++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1) {
            compute(0.005);
            begin[k] = now();
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        } else {
            begin[k] = now();
            MPI_Recv(&sum, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        end[k] = now();
    }
    char *out = calloc(1, BYTES), *in = calloc(1, BYTES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int k = 0; k < turns / 3; k++)
        MPI_Sendrecv(out, BYTES, MPI_CHAR, 1 - rank, 0, in, BYTES, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Gather(collective, TURNS, MPI_DOUBLE, all, TURNS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(begin, MESSAGES, MPI_DOUBLE, begins, MESSAGES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(end, MESSAGES, MPI_DOUBLE, ends, MESSAGES, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (!rank) {
        double waited = 0, took = 0;
        for (int k = 0; k < turns; k++) {
            took += all[k] + all[TURNS + k];
            waited += all[k] + all[TURNS + k] - 2 * least(all[k], all[TURNS + k]);
        }
        printf("MPI_Allreduce %.6f %.6f\n", waited, took);
        waited = took = 0;
        for (int k = 0; k < MESSAGES; k++) {
            took += ends[k] - begins[k];
            double until = least(begins[MESSAGES + k], ends[k]);
            waited += until > begins[k] ? until - begins[k] : 0;
        }
        printf("MPI_Recv %.6f %.6f\n", waited, took);
        waited = took = 0;
        for (int k = 0; k < MESSAGES; k++) {
            took += ends[MESSAGES + k] - begins[MESSAGES + k];
            double until = least(begins[k], ends[MESSAGES + k]);
            waited += until > begins[MESSAGES + k] && until < ends[MESSAGES + k] ? until - begins[MESSAGES + k] : 0;
        }
        printf("MPI_Send %.6f %.6f\n", waited, took);
    }
    MPI_Finalize();
    return 0;
}
