#!/usr/bin/env bash
# With OMP_DYNAMIC, GCC's OpenMP runtime makes as many threads as the load of the last 15 minutes leaves.
#
# Software: libgomp 12.2.0 (Debian 12).
#
# One would expect: OMP_DYNAMIC=true lets the runtime make fewer threads where the machine is busy, that is: now.
#
# What happens: it takes the third figure of getloadavg(3), the average over 15 minutes, from the number of CPUs. A
# program on two CPUs, with a getloadavg of its own that says
#   2.0 2.0 0.0 (busy now, idle before): 2 threads
#   0.0 0.0 1.0 (idle now, busy before): 1 thread
#
# Why it matters: of two runs one after the other, the second has fewer threads because of the first. A benchmark with
# OMP_DYNAMIC slows itself down, and is the faster the longer one waits between runs. In a container the load is that of
# the whole computer, and the CPUs are those of the container.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1
two_cpus
compile program -fopenmp -rdynamic "-Wl,-rpath,$libraries" << 'END'
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int getloadavg(double load[], int count)
{
    double all[3] = {atof(getenv("MINUTE_1")), atof(getenv("MINUTE_5")), atof(getenv("MINUTE_15"))};
    for (int k = 0; k < count && k < 3; k++)
        load[k] = all[k];
    return count < 3 ? count : 3;
}

int main(void)
{
    int threads = 0;
    #pragma omp parallel
    #pragma omp single
    threads = omp_get_num_threads();
    printf("%d\n", threads);
    return 0;
}
END

with_load() { # LOADS WORDS...
    on_both env MINUTE_1="$1" MINUTE_5="$2" MINUTE_15="$3" "${@:4}" ./program
}
note "threads of a region on two CPUs"
same "OMP_DYNAMIC not set, load 0.0 0.0 1.0" 2 "$(with_load 0.0 0.0 1.0)"
same "OMP_DYNAMIC=true, load 0.0 0.0 0.0" 2 "$(with_load 0.0 0.0 0.0 OMP_DYNAMIC=true)"
same "OMP_DYNAMIC=true, load 2.0 2.0 0.0" 2 "$(with_load 2.0 2.0 0.0 OMP_DYNAMIC=true)"
same "OMP_DYNAMIC=true, load 0.0 0.0 1.0" 1 "$(with_load 0.0 0.0 1.0 OMP_DYNAMIC=true)"
finish
