/* Two ranks that send each other many small messages: how many; how many between two pauses (0: no pauses); for how many seconds it waits there, in all,
   while numawise has to take chunks of its trace away; and "killed", where rank 1 is to be killed then. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Of the header of a trace: places for chunks, and the state of each; a chunk that its thread has let go. */
enum { PLACES = 12, STATES = 80, LET_GO = 3 };

/* The trace of this process, or null. */
static const unsigned char *trace(void)
{
    char line[4096];
    unsigned long begin = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && !begin && fgets(line, sizeof line, maps)) {
        const size_t length = strcspn(line, "\n");
        if (length > 6 && !memcmp(line + length - 6, ".trace", 6))
            begin = strtoul(line, NULL, 16);
    }
    if (maps)
        fclose(maps);
    return (const unsigned char *)begin;
}

/* Whether more than five of eight places wait for numawise, which begins at four. */
static int is_full(const volatile unsigned char *trace)
{
    unsigned places, waiting = 0;
    memcpy(&places, (const unsigned char *)trace + PLACES, sizeof places);
    for (unsigned k = 0; k < places; k++)
        waiting += trace[STATES + k] == LET_GO;
    return waiting * 8 > places * 5;
}

int main(int count, char **words)
{
    int rank, x = 0;
    const int calls = count > 1 ? atoi(words[1]) : 10000, between = count > 2 ? atoi(words[2]) : 0;
    long patience = count > 3 ? atol(words[3]) * 1000 : 0;
    const struct timespec millisecond = { 0, 1000000 };
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned char *own = trace();
    for (int k = 0; k < calls && rank < 2; k++) {
        if (between && k % between == 0)
            while (own && is_full(own) && patience-- > 0)
                nanosleep(&millisecond, NULL);
        if (rank == k % 2)
            MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (count > 4 && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
