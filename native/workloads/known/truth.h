/* Known-answer programs: work whose duration is known, and the truth that a measurement of the program must find.
 *
 * A unit of work is busy waiting by the clock, so that its duration does not depend on the machine. The truth is printed as
 * `truth NAME VALUE`, one a line, in seconds where it is a time. The unit is 2 ms, or KNOWN_UNIT seconds. */
#ifndef KNOWN_TRUTH_H
#define KNOWN_TRUTH_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double now_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double unit_seconds(void) {
    const char *text = getenv("KNOWN_UNIT");
    return text != NULL && atof(text) > 0 ? atof(text) : 0.002;
}

/* Computes for so many seconds. */
static inline void compute(double seconds) {
    const double end = now_seconds() + seconds;
    while (now_seconds() < end)
        ;
}

/* Waits for so many seconds as a computation would, but leaves the processor: more threads than processors still have a known answer. */
static inline void pretend(double seconds) {
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    while (nanosleep(&t, &t) != 0)
        ;
}

static inline void work(double seconds) {
    static int sleeping = -1;
    if (sleeping < 0)
        sleeping = getenv("KNOWN_SLEEP") != NULL;
    if (sleeping)
        pretend(seconds);
    else
        compute(seconds);
}

static inline void truth(const char *name, double value) { printf("truth %s %.9f\n", name, value); }

#endif
