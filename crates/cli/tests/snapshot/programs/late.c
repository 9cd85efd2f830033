/* Rank 0 sends late to rank 1, over an intercommunicator, in two threads, or as another program than the receiver: the first argument says which, the second
   one how late, in seconds. Each rank prints when its calls began and returned: "late RANK CALL BEGIN END". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "known.h"

static int rank;
static double late;
static MPI_Comm comm;

struct side { int call, other; double late; };

static void *exchange(void *argument)
{
    const struct side *side = argument;
    int x = 7;
    compute(side->late);
    double begin = now();
    if (rank == 0)
        MPI_Send(&x, 1, MPI_INT, side->other, side->call, comm);
    else
        MPI_Recv(&x, 1, MPI_INT, side->other, side->call, comm, MPI_STATUS_IGNORE);
    printf("late %d %d %.9f %.9f\n", rank, side->call, begin, now());
    return 0;
}

int main(int count, char **words)
{
    int provided, is_inter = !strcmp(words[1], "inter"), has_threads = !strcmp(words[1], "threads");
    MPI_Init_thread(&count, &words, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    late = atof(words[2]);
    comm = MPI_COMM_WORLD;
    if (is_inter) {
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 3, &comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    struct side sides[2];
    for (int k = 0; k < 2; k++)
        sides[k] = (struct side){k, is_inter ? 0 : 1 - rank, rank == 0 ? late * (k + 1) / 2 : 0};
    if (has_threads && provided == MPI_THREAD_MULTIPLE) {
        pthread_t thread;
        pthread_create(&thread, 0, exchange, &sides[1]);
        exchange(&sides[0]);
        pthread_join(thread, 0);
    } else if (rank < 2)
        exchange(&sides[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
