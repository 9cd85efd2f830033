/* All but the last rank wait in MPI_Barrier for the last one, which comes 0.5 s late, and then: abort calls MPI_Abort, error does what
   MPI does not allow, killed is killed, late waits for ever. With late each rank makes a file `begun.RANK` before it waits. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **words)
{
    int rank, size;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(words[1], "late")) {
        char name[32];
        snprintf(name, sizeof name, "begun.%d", rank);
        FILE *file = fopen(name, "w");
        if (file)
            fclose(file);
    }
    if (rank == size - 1) {
        usleep(500000);
        if (!strcmp(words[1], "abort"))
            MPI_Abort(MPI_COMM_WORLD, 5);
        if (!strcmp(words[1], "error"))
            MPI_Send(&rank, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD);
        if (!strcmp(words[1], "killed"))
            kill(getpid(), SIGKILL);
        for (;;)
            pause();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
