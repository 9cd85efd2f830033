/* Threads that know neither MPI nor OpenMP: each way prints what must not depend on being watched. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static double processor_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *computes(void *argument) {
    while (processor_seconds() < 0.2)
        ;
    return argument;
}

static void *rests(void *argument) {
    usleep(200000);
    return argument;
}

static void *rests_for_ever(void *argument) {
    for (;;)
        pause();
    return argument;
}

static pthread_barrier_t all_there;
static _Atomic int come;

static void *is_there(void *argument) {
    ++come;
    pthread_barrier_wait(&all_there);
    return argument;
}

static void *ends_itself(void *argument) { pthread_exit(argument); }

static int adds_one(void *argument) { return 1 + *(int *)argument; }

static void *makes_another(void *argument) {
    pthread_t other;
    void *result = 0;
    if (argument == 0)
        return "innermost";
    pthread_create(&other, 0, makes_another, (char *)argument - 1);
    pthread_join(other, &result);
    return result;
}

static _Atomic int computed;

static void *computes_and_rests(void *argument) {
    computes(argument);
    computed = 1;
    return rests_for_ever(argument);
}

static pthread_t begun(void *(*start)(void *), void *argument) {
    pthread_t thread;
    errno = 7;
    const int error = pthread_create(&thread, 0, start, argument);
    if (error != 0 || errno != 7)
        printf("error %d errno %d\n", error, errno);
    return thread;
}

int main(int argc, char **argv) {
    const char *way = argc > 1 ? argv[1] : "joined";
    pthread_t all[4000];
    void *result = 0;
    if (strcmp(way, "joined") == 0) {
        all[0] = begun(computes, "computes");
        all[1] = begun(rests, "rests");
        for (int k = 0; k < 2; ++k) {
            pthread_join(all[k], &result);
            puts(result);
        }
    } else if (strcmp(way, "living") == 0) {
        all[0] = begun(computes_and_rests, 0);
        while (!computed)
            usleep(1000);
    } else if (strcmp(way, "ends") == 0) {
        all[0] = begun(ends_itself, "itself");
        all[1] = begun(rests_for_ever, 0);
        pthread_cancel(all[1]);
        all[2] = begun(makes_another, (char *)0 + 20);
        for (int k = 0; k < 3; ++k) {
            pthread_join(all[k], &result);
            puts(result == PTHREAD_CANCELED ? "cancelled" : (char *)result);
        }
        thrd_t other;
        int number = 41;
        printf("%d\n", thrd_create(&other, adds_one, &number) == thrd_success);
        thrd_join(other, &number);
        printf("%d\n", number);
    } else if (strcmp(way, "small") == 0) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
        for (int k = 0; k < 100; ++k) {
            printf("%d ", pthread_create(&all[k], &attributes, ends_itself, "small"));
            pthread_join(all[k], &result);
            puts(result);
        }
    } else if (strcmp(way, "refused") == 0) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        printf("%d\n", pthread_attr_setstacksize(&attributes, (size_t)1 << 60));
        for (int k = 0; k < 1000; ++k)
            if (pthread_create(&all[0], &attributes, rests, 0) == 0)
                puts("made");
    } else if (strcmp(way, "many") == 0) {
        int made = 0;
        pthread_barrier_init(&all_there, 0, 1501);
        for (int k = 0; k < 1500; ++k) {
            made += pthread_create(&all[k], 0, is_there, "many") == 0;
            /* Of more than 256 that are on their way, the rest is not watched from its begin. */
            while (made - come > 200)
                usleep(1000);
        }
        is_there(0);
        for (int k = 0; k < made; ++k)
            pthread_join(all[k], &result);
        printf("%d\n", made);
    } else if (strcmp(way, "short") == 0) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        for (int k = 0; k < 4000; ++k)
            pthread_join(begun(ends_itself, 0), 0);
        clock_gettime(CLOCK_MONOTONIC, &to);
        const double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        printf("%.2f us a thread\n", 1e6 * seconds / 4000);
    } else if (strcmp(way, "forks") == 0) {
        all[0] = begun(rests, "parent");
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0) {
            for (int k = 1; k < 400; ++k)
                pthread_join(begun(ends_itself, "child"), &result);
            puts(result);
            exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        pthread_join(all[0], &result);
        printf("%s %d\n", (char *)result, status);
    }
    return 0;
}
