/* A library that asks for names by weak references, as mpi4py's module does: when it is loaded, and later. */
#include <stdio.h>

extern int MPI_Send(), MPI_Send_c(), GOMP_parallel();
#pragma weak MPI_Send
#pragma weak MPI_Send_c
#pragma weak GOMP_parallel

static int (*volatile kept)() = MPI_Send_c;

void ask(void) {
    printf("%d %d %d %d\n", MPI_Send != 0, MPI_Send_c != 0, GOMP_parallel != 0, kept != 0);
}

__attribute__((constructor)) static void loaded(void) {
    ask();
}
