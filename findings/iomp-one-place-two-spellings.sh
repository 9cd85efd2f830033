#!/usr/bin/env bash
# Two ways to write the same place give Intel's OpenMP runtime different numbers of threads.
#
# Software: libiomp5 of intel-openmp 2026.2.0, beside libgomp 12.2.0 and libomp 14.0.6 (Debian 12).
#
# One would expect: OMP_PLACES says where threads may run, OMP_NUM_THREADS how many there are. OMP_PLACES='threads(1)'
# and OMP_PLACES='{A}' both mean one place, the first CPU; so they give the same program.
#
# What happens, on two CPUs A and B, without OMP_NUM_THREADS:
#   libgomp, libomp:  2 threads on A A with either
#   libiomp5:         2 threads on A A with '{A}', 1 thread on A with 'threads(1)'
#
# Why it matters: a sweep over "how many cores" that is written with OMP_PLACES='cores(N)' changes the number of threads
# in one runtime and only the crowding in the others. The curves look alike, and mean different things.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1 libomp5-14=1:14.0.6-12
wheel intel-openmp==2026.2.0
two_cpus
intel=$work/intel-openmp/lib/libiomp5.so
openmp_program gcc -fopenmp "-Wl,-rpath,$libraries"
openmp_program object.o -fopenmp -c
gcc object.o -o llvm "$libraries/libomp.so.5" "-Wl,-rpath,$libraries"
gcc object.o -o intel "$intel" "-Wl,-rpath,$(dirname "$intel")"

note "one place on two CPUs, A and B; OMP_NUM_THREADS is not set"
for runtime in gcc llvm intel; do
    same "$runtime, OMP_PLACES={A}" "2 threads on A A" "$(OMP_PLACES="{$one}" on_both "./$runtime")"
done
for runtime in gcc llvm; do
    same "$runtime, OMP_PLACES=threads(1)" "2 threads on A A" "$(OMP_PLACES='threads(1)' on_both "./$runtime")"
done
same "intel, OMP_PLACES=threads(1)" "1 thread on A" "$(OMP_PLACES='threads(1)' on_both ./intel)"
finish
