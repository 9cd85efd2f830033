// Ranks that touch 24 MiB and compute for some seconds: surrounded HOW SECONDS.
// HOW is compute; move: from CPU to CPU, of those that fall to the rank in turn, and free to run on any in between; killed: the last rank
// ends by a signal before it calls anything but MPI_Init.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile double sum;

static void compute(double seconds) {
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;)
        for (int i = 1; i < 20000; i++) sum += 1.0 / i;
}

static void move(int rank, int size, double seconds) {
    cpu_set_t all, one;
    sched_getaffinity(0, sizeof all, &all);
    int own = CPU_COUNT(&all) >= 2 * size;
    int cpu = 0, flag;
    for (double begin = MPI_Wtime(); MPI_Wtime() - begin < seconds;) {
        do cpu = (cpu + 1) % CPU_SETSIZE;
        while (!CPU_ISSET(cpu, &all) || (own && cpu % size != rank));
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        sched_setaffinity(0, sizeof one, &one);
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        sched_setaffinity(0, sizeof all, &all);
        compute(0.05);
    }
}

int main(int count, char **words) {
    const char *how = count > 1 ? words[1] : "compute";
    double seconds = count > 2 ? atof(words[2]) : 1;
    MPI_Init(&count, &words);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    size_t bytes = 24 << 20;
    char *memory = malloc(bytes);
    memset(memory, rank + 1, bytes);
    if (strcmp(how, "move") == 0) move(rank, size, seconds);
    else compute(seconds);
    if (strcmp(how, "killed") == 0 && rank == size - 1) raise(SIGKILL);
    double own = memory[bytes - 1], all;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %.0f of %d ranks\n", all, size);
    MPI_Finalize();
}
