/* Rank 0 sleeps for 200 ms and waits for the others, which sleep for 300; ranks do not need a CPU each for that. With an argument
   the last rank is killed before the end. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void rest(double seconds) {
    struct timespec t = {(long)seconds, (long)((seconds - (long)seconds) * 1e9)};
    nanosleep(&t, 0);
}

int main(int count, char **words) {
    int rank, size, sum;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rest(rank ? 0.3 : 0.2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("sum %d of %d ranks\n", sum, size);
    fflush(stdout);
    if (count > 1 && rank == size - 1) kill(getpid(), SIGKILL);
    MPI_Finalize();
    return 0;
}
