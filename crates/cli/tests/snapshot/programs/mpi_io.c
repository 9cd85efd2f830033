/* Each rank writes 100 times 8,000 bytes into one file by MPI and reads them again, and 12,345 bytes into a file of its own. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char block[8000];

int main(int argc, char **argv) {
    int rank, size;
    char name[32];
    double in_files = 0;
    MPI_File file;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    in_files -= MPI_Wtime();
    MPI_File_open(MPI_COMM_WORLD, "all.data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    for (int k = 0; k < 100; ++k)
        MPI_File_write_at_all(file, (MPI_Offset)(k * size + rank) * 8000, block, 8000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    for (int k = 0; k < 100; ++k)
        MPI_File_read_at_all(file, (MPI_Offset)(k * size + rank) * 8000, block, 8000, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    in_files += MPI_Wtime();
    snprintf(name, sizeof name, "own.%d", rank);
    FILE *own = fopen(name, "w");
    for (int k = 0; k < 12345; ++k)
        putc('x', own);
    fclose(own);
    printf("%d %.9f\n", rank, in_files);
    MPI_Finalize();
    return 0;
}
