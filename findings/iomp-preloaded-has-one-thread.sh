#!/usr/bin/env bash
# A program of GCC's under Intel's OpenMP runtime, bound to CPUs, runs on a single one.
#
# Software: libiomp5 of intel-openmp 2026.2.0 and libomp 14.0.6, preloaded to a program that is linked with libgomp
# 12.2.0.
#
# One would expect: libiomp5 and libomp have the entry points of libgomp, so that they can take its place
# (LD_PRELOAD=libiomp5.so). The program then behaves as with libgomp: with OMP_PROC_BIND=true on two CPUs, two threads,
# one on each.
#
# What happens, on two CPUs A and B:
#   without OMP_PROC_BIND: 2 threads on AB AB
#   with OMP_PROC_BIND=true: 1 thread on A
# libgomp is still loaded, since the program is linked with it, and binds the main thread as it is loaded
# (gomp-binds-when-loaded.sh). The other runtime, which looks for its CPUs later, takes those of the main thread for all
# there are. There is no warning; only where OMP_PLACES has CPUs by their numbers, one says "Ignoring invalid OS proc
# ID".
#
# Why it matters: the program is slower by the number of its CPUs, with the very variables that should make it faster.
# The same happens where two modules of a Python program bring a runtime each.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1 libomp5-14=1:14.0.6-12
wheel intel-openmp==2026.2.0
two_cpus
openmp_program program -fopenmp "-Wl,-rpath,$libraries"
intel=$work/intel-openmp/lib/libiomp5.so
llvm=$libraries/libomp.so.5

note "a program of gcc -fopenmp on two CPUs, A and B"
same "libgomp" "2 threads on AB AB" "$(on_both ./program)"
same "libgomp, OMP_PROC_BIND=true" "2 threads on A B" "$(OMP_PROC_BIND=true on_both ./program)"
same "libiomp5 preloaded" "2 threads on AB AB" "$(on_both env LD_PRELOAD="$intel" ./program)"
same "libiomp5 preloaded, OMP_PROC_BIND=true" "1 thread on A" "$(OMP_PROC_BIND=true on_both env LD_PRELOAD="$intel" ./program)"
same "libomp preloaded, OMP_PROC_BIND=true" "1 thread on A" "$(OMP_PROC_BIND=true on_both env LD_PRELOAD="$llvm" ./program)"
finish
