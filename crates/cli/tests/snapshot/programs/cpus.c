/* Each rank says, in its turn, which number of threads it was given, which of our libraries comes first, and where its threads may run. */
#define _GNU_SOURCE
#include <mpi.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void mask(int thread, char *into, size_t size) {
    cpu_set_t set;
    int length = snprintf(into, size, "; thread %d:", thread);
    sched_getaffinity(0, sizeof set, &set);
    for (int cpu = 0; cpu < CPU_SETSIZE && length < (int)size; cpu++)
        if (CPU_ISSET(cpu, &set)) length += snprintf(into + length, size - length, " %d", cpu);
}

static const char *order(void) {
    const char *list = getenv("LD_PRELOAD");
    const char *agent = list ? strstr(list, "libnumawise_agent.so") : 0;
    const char *collector = list ? strstr(list, "libnumawise_collector.so") : 0;
    if (!agent || !collector) return agent ? "agent alone" : collector ? "collector alone" : "neither";
    return agent < collector ? "agent before collector" : "collector before agent";
}

int main(int count, char **words) {
    static char line[1024], threads[64][128];
    int rank, size;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
#pragma omp parallel
    mask(omp_get_thread_num(), threads[omp_get_thread_num()], sizeof threads[0]);
    snprintf(line, sizeof line, "rank %d of %d: %s asked, %s", rank, size, count > 1 ? words[1] : "none", order());
    for (int thread = 0; thread < omp_get_max_threads() && thread < 64; thread++)
        strncat(line, threads[thread], sizeof line - strlen(line) - 1);
    if (rank) {
        MPI_Send(line, sizeof line, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    } else {
        puts(line);
        for (int from = 1; from < size; from++) {
            MPI_Recv(line, sizeof line, MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            puts(line);
        }
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
