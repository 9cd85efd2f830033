// Teams of threads and of processes, and pinning them by hand.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <time.h>

#include "cases.h"

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

_Noreturn void fail(const char *what)
{
    fprintf(stderr, "cases: %s: %s\n", what, strerror(errno));
    exit(1);
}

_Noreturn void wrong(const char *what)
{
    fprintf(stderr, "cases: wrong result: %s\n", what);
    exit(1);
}

void pin_by_hand(int k)
{
    const char *list = getenv("CASES_PIN");
    if (!list || !*list) return;
    int cpus[MOST_THREADS], count = 0;
    for (char *end; count < MOST_THREADS && *list; list = *end == ',' ? end + 1 : end) {
        cpus[count++] = (int)strtol(list, &end, 10);
        if (end == list || (*end && *end != ',')) wrong("CASES_PIN: expected numbers of CPUs, such as 0,2,1,3");
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus[k % count], &set);
    if (sched_setaffinity(0, sizeof set, &set)) fail("CASES_PIN: sched_setaffinity");
}

struct member { work *run; void *shared; int k; };

static void *run_member(void *argument)
{
    struct member *member = argument;
    pin_by_hand(member->k);
    member->run(member->k, member->shared);
    return NULL;
}

void in_threads(int threads, work *run, void *shared)
{
    pthread_t ids[MOST_THREADS];
    struct member members[MOST_THREADS];
    for (int k = 0; k < threads; k++) {
        members[k] = (struct member){run, shared, k};
        if ((errno = pthread_create(&ids[k], NULL, run_member, &members[k]))) fail("pthread_create");
    }
    for (int k = 0; k < threads; k++) pthread_join(ids[k], NULL);
}

void in_processes(int processes, work *run, void *shared)
{
    for (int k = 0; k < processes; k++) {
        pid_t child = fork();
        if (child < 0) fail("fork");
        if (child) continue;
        pin_by_hand(k);
        run(k, shared);
        exit(0);
    }
    for (int k = 0, status; k < processes; k++)
        if (wait(&status) < 0 || status) wrong("a process did not end well");
}
