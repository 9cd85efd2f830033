#define _GNU_SOURCE
#include "account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct object {
    const char *name, *kind, *file;
    int line;
    double seconds[MOST_THREADS], reading[MOST_THREADS], touched[MOST_THREADS];
};

static struct object objects[MOST_OBJECTS];
static int objects_count;
static int tids[MOST_THREADS];
/* Page faults of each thread before it touched anything, and after it had touched the last page. */
static long faults_before[MOST_THREADS], faults_after[MOST_THREADS];
static _Thread_local int me;

static void fail(const char *what) {
    fprintf(stderr, "account: %s\n", what);
    exit(1);
}

static long faults(void) {
    struct rusage used;
    getrusage(RUSAGE_THREAD, &used);
    return used.ru_minflt;
}

void account_begin(void) {
    if (prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0)
        fail("huge pages cannot be switched off");
    account_thread(0);
}

int account_object(const char *name, const char *kind, const char *file, int line) {
    if (objects_count == MOST_OBJECTS)
        fail("too many objects");
    const char *slash = strrchr(file, '/');
    objects[objects_count] =
        (struct object){.name = name, .kind = kind, .file = slash ? slash + 1 : file, .line = line};
    return objects_count++;
}

void account_thread(int number) {
    if (number < 0 || number >= MOST_THREADS)
        fail("too many threads");
    me = number;
    tids[number] = (int)syscall(SYS_gettid);
    faults_before[number] = faults_after[number] = faults();
}

double account_clock(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void account_use(int object, double seconds, double reads) {
    objects[object].seconds[me] += seconds;
    objects[object].reading[me] += seconds * reads;
}

void account_touch(int object, double bytes) {
    objects[object].touched[me] += bytes;
    faults_after[me] = faults();
}

double account_seconds(void) {
    const char *text = getenv("OBJECTS_SECONDS");
    const double seconds = text != NULL ? atof(text) : 0;
    return seconds > 0 ? seconds : 1;
}

static void print_object(const struct object *of, double all) {
    double touched = 0;
    for (int t = 0; t < MOST_THREADS; ++t)
        touched += of->touched[t];
    for (int t = 0; t < MOST_THREADS; ++t) {
        if (of->seconds[t] > 0)
            printf("truth object=%s kind=%s at=%s:%d thread=%d tid=%d time_share=%.6f reads=%.6f\n", of->name, of->kind, of->file,
                   of->line, t, tids[t], of->seconds[t] / all, of->reading[t] / of->seconds[t]);
        if (of->touched[t] > 0)
            printf("truth touch object=%s kind=%s at=%s:%d thread=%d tid=%d share=%.6f\n", of->name, of->kind, of->file, of->line, t,
                   tids[t], of->touched[t] / touched);
    }
}

void account_print(const char *loops) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    const struct timeval user = used.ru_utime, system = used.ru_stime;
    const double computed = (double)(user.tv_sec + system.tv_sec) + 1e-6 * (double)(user.tv_usec + system.tv_usec);
    double all = 0;
    for (int k = 0; k < objects_count; ++k)
        for (int t = 0; t < MOST_THREADS; ++t)
            all += objects[k].seconds[t];
    printf("truth loops=%s\n", loops);
    for (int k = 0; k < objects_count; ++k)
        print_object(&objects[k], all);
    const double page = (double)sysconf(_SC_PAGESIZE);
    for (int t = 0; t < MOST_THREADS; ++t) {
        double touched = 0;
        for (int k = 0; k < objects_count; ++k)
            touched += objects[k].touched[t];
        if (touched > 0)
            printf("truth faults thread=%d tid=%d pages=%.0f faults=%ld\n", t, tids[t], touched / page, faults_after[t] - faults_before[t]);
    }
    printf("truth covered=%.6f\n", computed > 0 ? all / computed : 0);
}
