/* Ranks that come late in known ways, three at least. Each pattern is a function; rank 0 prints when the calls of each rank in it began and returned, by
   the clock that all ranks of a computer have in common: "PATTERN RANK CALL BEGIN END". The argument is how late they are, in seconds; with a second
   one, windows, persistent collective calls, and those of neighbours and between groups are left out. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include "known.h"

#define PATTERN __attribute__((noinline)) static void
enum { BIG = 1 << 20, CALLS = 4 };

static int rank, ranks, calls;
static double late;
/* Of this rank in the pattern: when its calls began and returned; none began at 0. */
static double begins[CALLS], ends[CALLS];

#define CALL(...)                \
    do {                         \
        begins[calls] = now();   \
        __VA_ARGS__;             \
        ends[calls++] = now();   \
    } while (0)

PATTERN late_sender(void)
{
    int x = 0;
    if (rank == 0) {
        compute(late);
        CALL(MPI_Send(&x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD));
    } else if (rank == 1)
        CALL(MPI_Recv(&x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

PATTERN late_receiver(void)
{
    char *bytes = calloc(BIG, 1);
    if (rank == 0)
        CALL(MPI_Send(bytes, BIG, MPI_CHAR, 1, 8, MPI_COMM_WORLD));
    else if (rank == 1) {
        compute(late);
        CALL(MPI_Recv(bytes, BIG, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    free(bytes);
}

/* What rank 0 is late, rank 2 waits too. */
PATTERN chain(void)
{
    int x = 0;
    if (rank == 0) {
        compute(late);
        CALL(MPI_Send(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD));
    } else if (rank == 1) {
        CALL(MPI_Recv(&x, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        CALL(MPI_Send(&x, 1, MPI_INT, 2, 9, MPI_COMM_WORLD));
    } else if (rank == 2)
        CALL(MPI_Recv(&x, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

PATTERN late_root(void)
{
    int x = 0;
    if (rank == 0)
        compute(late);
    CALL(MPI_Bcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD));
}

PATTERN early_root(void)
{
    int x = rank, sum;
    if (rank != 0)
        compute(late);
    CALL(MPI_Reduce(&x, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
}

PATTERN last_of_all(void)
{
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Barrier(MPI_COMM_WORLD));
}

/* Rank 2 needs what rank 1 has, rank 0 nothing. */
PATTERN scan(void)
{
    int x = rank, sum;
    if (rank == 1)
        compute(late);
    CALL(MPI_Scan(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
}

/* Rank 0 waits for two messages at once, of which that of rank 2 comes later. */
PATTERN several(void)
{
    int x[2], y = 0;
    MPI_Request requests[2];
    if (rank == 0) {
        for (int k = 0; k < 2; k++)
            MPI_Irecv(&x[k], 1, MPI_INT, k + 1, 3, MPI_COMM_WORLD, &requests[k]);
        CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    } else if (rank < 3) {
        compute(late * rank / 2);
        CALL(MPI_Isend(&y, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, requests));
        MPI_Wait(requests, MPI_STATUS_IGNORE);
    }
}

/* The receive from any rank with any tag was posted second, and gets what was sent first. */
PATTERN tags(void)
{
    int x = 0, y;
    MPI_Request requests[2];
    if (rank == 0) {
        compute(late / 2);
        CALL(MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD));
        compute(late / 2);
        CALL(MPI_Send(&x, 1, MPI_INT, 1, 2, MPI_COMM_WORLD));
    } else if (rank == 1) {
        MPI_Irecv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[1]);
        CALL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
}

/* On a communicator of its own, of which rank 1 is the first. */
PATTERN persistent(void)
{
    int x = 0;
    MPI_Comm pair;
    MPI_Request request;
    MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, -rank, &pair);
    if (pair == MPI_COMM_NULL)
        return;
    if (rank == 0)
        MPI_Send_init(&x, 1, MPI_INT, 0, 5, pair, &request);
    else
        MPI_Recv_init(&x, 1, MPI_INT, 1, 5, pair, &request);
    for (int k = 0; k < 2; k++) {
        if (rank == 0) {
            compute(late / 2);
            CALL(MPI_Start(&request));
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Start(&request);
            CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        }
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&pair);
}

PATTERN probed(void)
{
    int x = 0;
    MPI_Message message;
    if (rank == 0) {
        compute(late);
        CALL(MPI_Send(&x, 1, MPI_INT, 1, 6, MPI_COMM_WORLD));
    } else if (rank == 1) {
        CALL(MPI_Mprobe(0, 6, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
        MPI_Mrecv(&x, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* What one call begins, another one waits for. */
PATTERN begun_all(void)
{
    int x = rank, sum;
    MPI_Request request;
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

PATTERN begun_root(void)
{
    int x = 0;
    MPI_Request request;
    if (rank == 0)
        compute(late);
    CALL(MPI_Ibcast(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, &request));
    CALL(MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
}

__attribute__((noinline)) static void meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

#if MPI_VERSION >= 4
/* Both are started by one call, in an order of each rank's own. */
PATTERN persistent_all(void)
{
    int x = rank, sum;
    MPI_Request requests[2];
    MPI_Allreduce_init(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[rank % 2]);
    MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1 - rank % 2]);
    meet();
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Startall(2, requests));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    /* One that is not started is no part of anything. */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int k = 0; k < 2; k++)
        MPI_Request_free(&requests[k]);
}

__attribute__((noinline)) static void finish(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* The last of the partitions is late; the receiver has others. */
PATTERN partitioned(void)
{
    int x[8] = {0};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(x, 4, 2, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready_range(2, 3, request);
        MPI_Pready(0, request);
        compute(late);
        CALL(MPI_Pready_list(1, (int[]){1}, request));
    } else if (rank == 1) {
        MPI_Precv_init(x, 2, 4, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    } else
        return;
    if (rank == 0)
        finish(&request);
    MPI_Request_free(&request);
}

/* The second time. */
PATTERN persistent_root(void)
{
    int x = 0;
    MPI_Request request;
    MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    /* Started anew it is another one. */
    finish(&request);
    meet();
    if (rank == 0)
        compute(late);
    CALL(MPI_Start(&request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Request_free(&request);
}
#endif

static MPI_Win window;

PATTERN fence(void)
{
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Win_fence(0, window));
}

static MPI_Group alone(int of)
{
    MPI_Group all, one;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &of, &one);
    MPI_Group_free(&all);
    return one;
}

/* Rank 1 puts into the window of rank 0, each as late as it is said to be. */
#define ACCESS(of_target, of_origin)                                  \
    int x = 7;                                                        \
    MPI_Group other = alone(rank == 0);                               \
    if (rank == 0) {                                                  \
        compute(of_target);                                           \
        CALL(MPI_Win_post(other, 0, window));                         \
        CALL(MPI_Win_wait(window));                                   \
    } else if (rank == 1) {                                           \
        CALL(MPI_Win_start(other, 0, window));                        \
        MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, window);            \
        compute(of_origin);                                           \
        CALL(MPI_Win_complete(window));                               \
    }                                                                 \
    MPI_Group_free(&other)

PATTERN late_post(void) { ACCESS(late, 0); }

PATTERN late_complete(void) { ACCESS(0, late); }

/* Rank 0 holds the lock of the window of rank 2, for which rank 1 waits. */
PATTERN lock(void)
{
    int x = 7;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
        MPI_Put(&x, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        compute(late);
        CALL(MPI_Win_unlock(2, window));
    } else if (rank == 1) {
        compute(late / 4);
        CALL(MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window));
        MPI_Get(&x, 1, MPI_INT, 2, 0, 1, MPI_INT, window);
        MPI_Win_unlock(2, window);
    }
}

/* All make a communicator. */
PATTERN split(void)
{
    MPI_Comm mine;
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &mine));
    MPI_Comm_free(&mine);
}

/* Each gets the number of the rank before it in a ring. */
PATTERN ring(void)
{
    int before = (rank + ranks - 1) % ranks, after = (rank + 1) % ranks, x;
    /* Compilers warn of what they take for an array. */
    int *volatile none = MPI_UNWEIGHTED;
    MPI_Comm all;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, none, 1, &after, none, MPI_INFO_NULL, 0, &all);
    meet();
    if (rank == ranks - 1)
        compute(late);
    CALL(MPI_Neighbor_allgather(&rank, 1, MPI_INT, &x, 1, MPI_INT, all));
    MPI_Comm_free(&all);
}

/* The ends of a line have one neighbour. */
PATTERN line(void)
{
    int size = ranks, periods = 0, x[2] = {0}, y[2];
    MPI_Comm all;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &all);
    meet();
    if (rank == 0)
        compute(late);
    CALL(MPI_Neighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, all));
    MPI_Comm_free(&all);
}

PATTERN begun_line(void)
{
    int size = ranks, periods = 0, x[2] = {0}, y[2];
    MPI_Comm all;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &all);
    meet();
    if (rank == 0)
        compute(late);
    CALL(MPI_Ineighbor_alltoall(x, 1, MPI_INT, y, 1, MPI_INT, all, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm_free(&all);
}

#if MPI_VERSION >= 4
PATTERN persistent_line(void)
{
    int size = ranks, periods = 0, x[2] = {0}, y[2];
    MPI_Comm all;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periods, 0, &all);
    MPI_Neighbor_alltoall_init(x, 1, MPI_INT, y, 1, MPI_INT, all, MPI_INFO_NULL, &request);
    meet();
    if (rank == 0)
        compute(late);
    CALL(MPI_Start(&request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Request_free(&request);
    MPI_Comm_free(&all);
}
#endif

/* The last rank and the others are the groups. */
static MPI_Comm groups(void)
{
    int is_last = rank == ranks - 1;
    MPI_Comm mine, both;
    MPI_Comm_split(MPI_COMM_WORLD, is_last, rank, &mine);
    MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, is_last ? 0 : ranks - 1, 9, &both);
    MPI_Comm_free(&mine);
    meet();
    return both;
}

PATTERN between_all(void)
{
    int x = rank, sum;
    MPI_Comm both = groups();
    if (rank == 1)
        compute(late);
    CALL(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, both));
    MPI_Comm_free(&both);
}

PATTERN between_root(void)
{
    int x = rank, is_root = rank == ranks - 1;
    MPI_Comm both = groups();
    if (is_root)
        compute(late);
    CALL(MPI_Bcast(&x, 1, MPI_INT, is_root ? MPI_ROOT : 0, both));
    MPI_Comm_free(&both);
}

/* Nobody waits: rank 1 asks until the message is there. */
PATTERN polled(void)
{
    int x = 0, done = 0;
    MPI_Request request;
    if (rank == 0) {
        compute(late);
        MPI_Send(&x, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&x, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
        CALL(while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE));
    }
}

PATTERN probe_loop(void)
{
    int x = 0, is_there = 0;
    if (rank == 0) {
        compute(late);
        MPI_Send(&x, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
    } else if (rank == 1) {
        CALL(while (!is_there) MPI_Iprobe(0, 10, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE));
        MPI_Recv(&x, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void tell(const char *name, void (*pattern)(void))
{
    double mine[2 * CALLS], *all = calloc(2 * CALLS * ranks, sizeof *all);
    calls = 0;
    for (int k = 0; k < CALLS; k++)
        begins[k] = ends[k] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    pattern();
    for (int k = 0; k < CALLS; k++) {
        mine[2 * k] = begins[k];
        mine[2 * k + 1] = ends[k];
    }
    MPI_Gather(mine, 2 * CALLS, MPI_DOUBLE, all, 2 * CALLS, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    for (int k = 0; rank == 0 && k < CALLS * ranks; k++)
        if (all[2 * k] > 0)
            printf("%s %d %d %.9f %.9f\n", name, k / CALLS, k % CALLS, all[2 * k], all[2 * k + 1]);
    free(all);
}

int main(int count, char **words)
{
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    late = count > 1 ? atof(words[1]) : 0.1;
    tell("late_sender", late_sender);
    tell("late_receiver", late_receiver);
    tell("chain", chain);
    tell("late_root", late_root);
    tell("early_root", early_root);
    tell("last_of_all", last_of_all);
    tell("scan", scan);
    tell("several", several);
    tell("tags", tags);
    tell("persistent", persistent);
    tell("probed", probed);
    tell("begun_all", begun_all);
    tell("begun_root", begun_root);
    if (count < 3) {
#if MPI_VERSION >= 4
        tell("persistent_all", persistent_all);
        tell("persistent_root", persistent_root);
        tell("partitioned", partitioned);
#endif
        int *memory;
        MPI_Win_allocate(64, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
        MPI_Win_fence(0, window);
        tell("fence", fence);
        tell("late_post", late_post);
        tell("late_complete", late_complete);
        tell("lock", lock);
        MPI_Win_free(&window);
        tell("ring", ring);
        tell("line", line);
        tell("begun_line", begun_line);
#if MPI_VERSION >= 4
        tell("persistent_line", persistent_line);
#endif
        tell("between_all", between_all);
        tell("between_root", between_root);
    }
    tell("split", split);
    tell("polled", polled);
    tell("probe_loop", probe_loop);
    MPI_Finalize();
    return 0;
}
