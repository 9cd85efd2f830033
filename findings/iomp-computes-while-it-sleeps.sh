#!/usr/bin/env bash
# A program that sleeps after a parallel region uses a fifth of a second of CPU time for each other thread.
#
# Software: libiomp5 of intel-openmp 2026.2.0 and libomp 14.0.6, beside libgomp 12.2.0 (Debian 12).
#
# One would expect: with the default wait policy threads wait for the next region for some microseconds, as long as it
# takes to be woken, and sleep then.
#
# What happens, with two threads whose main thread sleeps after an empty region, 100 ms after its end:
#   libgomp:  the other thread sleeps (CPU time of the process in the first second: 0.006 s)
#   libiomp5: the other thread runs   (0.169 s)
#   libomp:   the other thread runs   (0.159 s)
# Their threads spin for KMP_BLOCKTIME, 200 ms unless it is set, however far the next region is. libgomp counts rounds
# of a loop, some milliseconds. OMP_WAIT_POLICY=passive ends it in all: 0.000 s.
#
# Why it matters: CPU time, instructions and energy of a serial part are those of the spinning. A serial part of less
# than 200 ms seems to use all CPUs, so utilisation says nothing. A second process on the same CPUs loses them to
# nothing.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1 libomp5-14=1:14.0.6-12
wheel intel-openmp==2026.2.0
two_cpus
intel=$work/intel-openmp/lib/libiomp5.so
compile object.o -fopenmp -c << 'END'
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

/* Whether a thread other than the first one runs, or waits for a CPU. */
static int others_run(void)
{
    int running = 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *thread; threads && (thread = readdir(threads));) {
        char path[64], state = 0;
        if (atoi(thread->d_name) == 0 || atoi(thread->d_name) == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", thread->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*d (%*[^)]) %c", &state) == 1)
            running |= state == 'R';
        if (file)
            fclose(file);
    }
    if (threads)
        closedir(threads);
    return running;
}

int main(void)
{
    int looks = 0, running = 0;
    double spent = 0;
    for (int round = 0; round < 40 && looks < 5; round++) {
        double cpu_time = now(CLOCK_PROCESS_CPUTIME_ID);
        #pragma omp parallel
        __asm__ volatile("");
        double end = now(CLOCK_MONOTONIC);
        usleep(100000);
        int run = others_run();
        if (now(CLOCK_MONOTONIC) - end < 0.17) { /* on a busy machine it may take longer */
            looks++;
            running += run;
        }
        usleep(900000);
        cpu_time = now(CLOCK_PROCESS_CPUTIME_ID) - cpu_time;
        spent = cpu_time > spent ? cpu_time : spent;
    }
    printf("%d %d %.3f\n", running, looks, spent);
    return looks == 0;
}
END
gcc object.o -o gcc "$libraries/libgomp.so.1" "-Wl,-rpath,$libraries"
gcc object.o -o llvm "$libraries/libomp.so.5" "-Wl,-rpath,$libraries"
gcc object.o -o intel "$intel" "-Wl,-rpath,$(dirname "$intel")"

look() { # PROGRAM: sets running, looks, spent
    read -r running looks spent < <(OMP_NUM_THREADS=2 on_both "$1")
    seen="$running of $looks, $spent s"
}
note "looks 100 ms after the end of a region at which the other thread runs; most CPU time of a round of 1 s"
look ./gcc
holds "libgomp" "$seen" test "$running" -le 2
for runtime in llvm intel; do
    look "./$runtime"
    holds "$runtime" "$seen" test "$running" -ge 3
    export OMP_WAIT_POLICY=passive
    look "./$runtime"
    holds "$runtime, OMP_WAIT_POLICY=passive" "$seen" test "$running" -eq 0
    unset OMP_WAIT_POLICY
done
finish
