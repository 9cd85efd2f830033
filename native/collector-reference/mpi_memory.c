/* What a rank holds in memory, in KiB, with so many threads of OpenMP that have all been in a region: the most of all ranks. For
 * scripts/bench-snapshot, which runs it with nothing and with the collector. Without a number of threads it only begins and ends MPI. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 100 };

/* As the kernel adds it up over the mappings; statm is behind by some pages for each thread. */
static long resident(void) {
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "Rss:", 4) == 0)
            kib = strtol(line + 4, NULL, 10);
    if (file != NULL)
        fclose(file);
    return kib;
}

int main(int argc, char **argv) {
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    if (argc == 2) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        double in = 1, out;
        for (int k = 0; k < CALLS; ++k) {
            MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            MPI_Sendrecv(&in, 1, MPI_DOUBLE, (rank + 1) % size, 0, &out, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        long kib = 0, most = 0;
#pragma omp parallel num_threads(atoi(argv[1]))
        {
#pragma omp barrier
#pragma omp master
            kib = resident();
#pragma omp barrier
        }
        MPI_Reduce(&kib, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("kib: %ld\n", most);
    }
    MPI_Finalize();
    return 0;
}
