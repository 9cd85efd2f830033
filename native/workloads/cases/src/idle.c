// Programs to which memory is nothing: arithmetic, waiting, and hardly any program at all.
#define _GNU_SOURCE
#include <time.h>

#include "cases.h"

enum { STEPS = 100000 };

static void compute_alone(int k, void *shared)
{
    (void)k;
    const struct job *job = shared;
    double x = compute(job->rounds * STEPS / job->threads);
    if (!(x > 0 && x < 1)) wrong("the sequence left its bounds");
}

static void compute_only(const struct job *job) { in_threads(job->threads, compute_alone, (void *)job); }

static void brief(const struct job *job)
{
    double x = compute(job->rounds * STEPS / 10);
    if (!(x > 0 && x < 1)) wrong("the sequence left its bounds");
}

static void sleepy(const struct job *job)
{
    for (long round = 0; round < job->rounds; round++) {
        double x = compute(STEPS / 10);
        if (!(x > 0 && x < 1)) wrong("the sequence left its bounds");
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

const struct entry idle_cases[] = {
    {"compute", "threads that use no memory", compute_only},
    {"brief", "one thread that computes for some milliseconds", brief},
    {"sleepy", "waits 50 ms a round, and computes a little", sleepy},
    {0},
};
