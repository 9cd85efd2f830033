/* Two ranks of four threads that rest, so that it is known on paper who is late, and why. In milliseconds, five times:
   - 10 alone, a region of 20 in which thread 3 of rank 1 takes 80, MPI_Barrier: rank 0 waits for 60;
   - 10 alone, in rank 0 60, a region of 20, MPI_Barrier: rank 1 waits for 50.
   The argument is what a millisecond takes, in microseconds. Each rank prints what its own clock says: rank, how much later the last thread of the
   first region came than the one before it, and how long all waited at its end, seconds alone before the first region and before the second one;
   and by the clock of all, the sums of when it came to the first and to the second barriers. */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include "known.h"

enum { THREADS = 4 };

static double unit, late, waited, alone[2], came[2];

static void rest(int times) {
    compute(times * unit);
}

static void serial(int part, int times) {
    const double before = now();
    rest(times);
    alone[part] += now() - before;
}

static void uneven(int rank) {
    double ended[THREADS];
#pragma omp parallel num_threads(THREADS)
    {
        const int thread = omp_get_thread_num();
        rest(rank == 1 && thread == 3 ? 80 : 20);
        ended[thread] = now();
    }
    const double end = now();
    double last = 0, before = 0;
    for (int k = 0; k < THREADS; ++k) {
        if (ended[k] > last) {
            before = last;
            last = ended[k];
        } else if (ended[k] > before) {
            before = ended[k];
        }
    }
    late += last - before;
    for (int k = 0; k < THREADS; ++k)
        waited += end - ended[k];
}

static void even(void) {
#pragma omp parallel num_threads(THREADS)
    rest(20);
}

static void meet(int which) {
    came[which] += now();
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int count, char **words) {
    int rank, given;
    unit = (count > 1 ? atoi(words[1]) : 1000) * 1e-6;
    MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < 5; ++k) {
        serial(0, 10);
        uneven(rank);
        meet(0);
        serial(1, rank == 0 ? 60 : 10);
        even();
        meet(1);
    }
    MPI_Finalize();
    char line[160];
    snprintf(line, sizeof line, "%d %.6f %.6f %.6f %.6f %.6f %.6f\n", rank, late, waited, alone[0], alone[1], came[0], came[1]);
    fputs(line, stdout);
    return 0;
}
