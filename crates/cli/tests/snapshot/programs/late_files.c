/* Rank 1 writes a file before each barrier and comes late with it; the other ranks read one for a moment. The arguments are how late it is, in seconds,
   and how often. Each rank prints how long it was in calls on files by its own clock: "RANK READ WRITE SYNC MANAGE". */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "known.h"

enum { BIG = 4 << 20 };

enum { READ, WRITE, SYNC, MANAGE, KINDS };
static double in_files[KINDS];
/* A trace has those of more than 1 us. */
#define CALL(kind, call) do { double begin = now(); call; double took = now() - begin; in_files[kind] += took > 1e-6 ? took : 0; } while (0)

int main(int argc, char **argv)
{
    double late = atof(argv[1]);
    int rounds = atoi(argv[2]), rank;
    char *bytes = calloc(BIG, 1), name[64];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(name, sizeof name, "late_files-%d", rank);
    int file;
    CALL(MANAGE, file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600));
    CALL(WRITE, if (write(file, bytes, 4096) != 4096) abort());
    for (int round = 0; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double until = now() + late;
        if (rank == 1) {
            do
                CALL(WRITE, if (pwrite(file, bytes, BIG, 0) != BIG) abort());
            while (now() < until);
            CALL(SYNC, fdatasync(file));
        } else
            CALL(READ, if (pread(file, bytes, 4096, 0) != 4096) abort());
        MPI_Barrier(MPI_COMM_WORLD);
    }
    /* Streams come to the kernel through a table of the C library. */
    FILE *stream = fdopen(file, "w");
    setvbuf(stream, NULL, _IOFBF, BIG);
    fwrite(bytes, 1, 65536, stream);
    CALL(WRITE, fflush(stream));
    CALL(MANAGE, fclose(stream));
    printf("%d %.9f %.9f %.9f %.9f\n", rank, in_files[READ], in_files[WRITE], in_files[SYNC], in_files[MANAGE]);
    unlink(name);
    MPI_Finalize();
    return 0;
}
