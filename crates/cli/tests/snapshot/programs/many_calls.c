/* Two ranks that send each other many small messages: how many; how many between two pauses (0: no pauses); for how many seconds it waits there, in all,
   while numawise has to take chunks of its trace away; and "killed", where rank 1 is to be killed then, or "half", where both make a file half-RANK after
   half of the messages and then wait until their trace is frozen, or "pause", where they wait until there is a file named on. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Of the header of a trace: places for chunks, whether it is frozen, and the state of each; a chunk that its thread has let go. */
enum { PLACES = 12, FROZEN = 80, STATES = 104, LET_GO = 3 };

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

/* Whether there is something to wait for. */
static int is_thawed(const volatile unsigned char *trace)
{
    return trace && !trace[FROZEN];
}

int main(int count, char **words)
{
    int rank, x = 0;
    const int calls = count > 1 ? atoi(words[1]) : 10000, between = count > 2 ? atoi(words[2]) : 0;
    long patience = count > 3 ? atol(words[3]) * 1000 : 0;
    const int pauses = count > 4 && !strcmp(words[4], "pause");
    const int waits = pauses || (count > 4 && !strcmp(words[4], "half"));
    const struct timespec millisecond = { 0, 1000000 };
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const unsigned char *own = trace();
    for (int k = 0; k < calls && rank < 2; k++) {
        if (between && k % between == 0)
            while (own && is_full(own) && is_thawed(own) && patience-- > 0)
                nanosleep(&millisecond, NULL);
        if (waits && k == calls / 2) {
            char name[16];
            snprintf(name, sizeof name, "half-%d", rank);
            fclose(fopen(name, "w"));
            while ((pauses ? access("on", F_OK) != 0 : is_thawed(own)) && patience-- > 0)
                nanosleep(&millisecond, NULL);
        }
        if (rank == k % 2)
            MPI_Send(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (count > 4 && !waits && rank == 1)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
