/* Stands before the calls that mpi_cost.c times. Reads the clock before and after and adds up, as the least that a profiler does; with
 * -DPASS it only passes the call on. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

#ifdef PASS
#define TIMED(call) return call
#else
static double spent;
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
#define TIMED(call)                                                                                                    \
    double begin = now();                                                                                              \
    int result = call;                                                                                                 \
    spent += now() - begin;                                                                                            \
    return result
#endif

int MPI_Allreduce(const void *s, void *r, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
    TIMED(PMPI_Allreduce(s, r, n, t, o, c));
}
int MPI_Iprobe(int source, int tag, MPI_Comm c, int *flag, MPI_Status *status) {
    TIMED(PMPI_Iprobe(source, tag, c, flag, status));
}
int MPI_Send(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c) {
    TIMED(PMPI_Send(b, n, t, dest, tag, c));
}
int MPI_Recv(void *b, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Status *status) {
    TIMED(PMPI_Recv(b, n, t, source, tag, c, status));
}
