#!/usr/bin/env bash
# GOMP_CPU_AFFINITY is GCC's own variable, and GCC's runtime is the one that passes it over.
#
# Software: libgomp 12.2.0, libomp 14.0.6 (Debian 12), libiomp5 of intel-openmp 2026.2.0.
#
# One would expect: where OMP_PLACES and an older variable are both set, either the standard's variable wins in all
# runtimes, or each prefers the variable that is its own.
#
# What happens, on two CPUs A and B, with OMP_PLACES={B},{A} OMP_PROC_BIND=close and GOMP_CPU_AFFINITY="A B" besides:
#   libgomp:  2 threads on B A    OMP_PLACES wins, without a word
#   libomp:   2 threads on A B    GOMP_CPU_AFFINITY wins, with a warning
#   libiomp5: 2 threads on A B    GOMP_CPU_AFFINITY wins, with a warning
#
# Why it matters: one line of a module file or of a shell's profile turns the placement of a job script around, in
# programs of one compiler and not in those of the other. Whoever places threads has to take the variable away.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1 libomp5-14=1:14.0.6-12
wheel intel-openmp==2026.2.0
two_cpus
intel=$work/intel-openmp/lib/libiomp5.so
openmp_program gcc -fopenmp "-Wl,-rpath,$libraries"
# Without -fopenmp for the linker: these are not linked with libgomp.
openmp_program llvm.o -fopenmp -c
gcc llvm.o -o llvm "$libraries/libomp.so.5" "-Wl,-rpath,$libraries"
gcc llvm.o -o intel "$intel" "-Wl,-rpath,$(dirname "$intel")"

export OMP_PLACES="{$two},{$one}" OMP_PROC_BIND=close
note "OMP_PLACES={B},{A} OMP_PROC_BIND=close"
for runtime in gcc llvm intel; do
    same "$runtime" "2 threads on B A" "$(on_both "./$runtime")"
done
export GOMP_CPU_AFFINITY="$one $two"
note "the same with GOMP_CPU_AFFINITY='A B'"
same "gcc" "2 threads on B A" "$(on_both ./gcc 2>&1)"
for runtime in llvm intel; do
    same "$runtime" "2 threads on A B" "$(on_both "./$runtime" 2> "$runtime.warnings")"
    holds "$runtime warns" "$(grep -m 1 OMP_PLACES "$runtime.warnings" || true)" \
        grep -q 'OMP_PLACES: ignored because GOMP_CPU_AFFINITY' "$runtime.warnings"
done
finish
