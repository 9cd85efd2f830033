/* What a program of two ranks may do with MPI: one way each time. */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rank;

static void *many(void *argument) {
    const int tag = (int)(long)argument;
    char byte = 0;
    for (int k = 0; k < 1000; ++k)
        if (rank == 0)
            MPI_Send(&byte, 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD);
        else
            MPI_Recv(&byte, 1, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}

static void *receives_for_ever(void *argument) {
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    char byte;
    MPI_Recv(&byte, 1, MPI_CHAR, rank, 999, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    return argument;
}

static void on_alarm(int number) { (void)number; }

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "";
    int level = 0, size;
    if (strncmp(way, "threads", 7) == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    else
        MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(way, "times") == 0) {
        /* 1 s and 1.5 s of work of 2 s, the rest in MPI. */
        usleep(rank == 0 ? 1000000 : 1500000);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            usleep(500000);
            MPI_Send(&level, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&level, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else if (strcmp(way, "threads") == 0) {
        pthread_t all[4];
        for (long k = 0; k < 4; ++k)
            pthread_create(&all[k], 0, many, (void *)k);
        for (int k = 0; k < 4; ++k)
            pthread_join(all[k], 0);
        printf("rank %d level %d\n", rank, level == MPI_THREAD_MULTIPLE);
    } else if (strcmp(way, "errors") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const int result = MPI_Send(&level, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
        int kind = 0;
        MPI_Error_class(result, &kind);
        printf("rank %d: error %d\n", rank, kind == MPI_ERR_RANK);
    } else if (strcmp(way, "errno") == 0) {
        errno = 77;
        MPI_Iprobe(0, 5, MPI_COMM_SELF, &level, MPI_STATUS_IGNORE);
        errno = 77;
        MPI_Iprobe(0, 5, MPI_COMM_SELF, &level, MPI_STATUS_IGNORE);
        printf("rank %d: errno %d\n", rank, errno);
    } else if (strcmp(way, "signals") == 0) {
        struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
        sigaction(SIGALRM, &action, 0);
        ualarm(500, 500);
        double x = 1, y = 0;
        for (int k = 0; k < 20000; ++k)
            MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        ualarm(0, 0);
        printf("rank %d: %g\n", rank, y);
    } else if (strcmp(way, "fork") == 0) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            _exit(5);
        int status = 0;
        waitpid(child, &status, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        printf("rank %d: child %d\n", rank, WEXITSTATUS(status));
    } else if (strcmp(way, "threads-cancelled") == 0) {
        pthread_t other;
        void *result = 0;
        pthread_create(&other, 0, receives_for_ever, 0);
        usleep(100000);
        pthread_cancel(other);
        pthread_join(other, &result);
        printf("rank %d: cancelled %d\n", rank, result == PTHREAD_CANCELED);
        fflush(stdout);
        usleep(200000);
        _exit(0);
    } else if (strcmp(way, "no-finalize") == 0) {
        usleep(100000);
        fflush(stdout);
        kill(getpid(), SIGKILL);
    } else if (strcmp(way, "abort") == 0) {
        if (rank == 0)
            MPI_Abort(MPI_COMM_WORLD, 6);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
