#!/usr/bin/env bash
# GCC's OpenMP runtime binds the thread that loads it, before any OpenMP is used.
#
# Software: libgomp 12.2.0 and libomp 14.0.6 (Debian 12), libiomp5 of intel-openmp 2026.2.0.
#
# One would expect: OMP_PROC_BIND and OMP_PLACES concern the threads of parallel regions. A program that loads a library
# which happens to need OpenMP, and opens no region, keeps the CPUs that it was given.
#
# What happens, on two CPUs A and B with OMP_PLACES=threads:
#   libgomp:  A after it was loaded. A child process that is started then has one CPU.
#   libomp:   A B after it was loaded, A after a mere question (omp_get_max_threads).
#   libiomp5: A B after it was loaded, A B after the question.
#
# Why it matters: "import" of a numerical module may leave the main thread on one CPU, and with it all that it starts:
# worker processes, threads of other runtimes, `make -j$(nproc)`. Whoever reads the mask to decide how many threads to
# make reads 1. It depends on the runtime, and on the order of imports.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb libgomp1=12.2.0-14+deb12u1 libomp5-14=1:14.0.6-12
wheel intel-openmp==2026.2.0
two_cpus

cat > load.py << 'END'
import ctypes, os, subprocess, sys
names = {int(os.environ["one"]): "A", int(os.environ["two"]): "B"}
mask = lambda: " ".join(names[cpu] for cpu in sorted(os.sched_getaffinity(0)))
runtime = ctypes.CDLL(sys.argv[1])
loaded = mask()
child = subprocess.run(["nproc"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True).stdout.strip()
runtime.omp_get_max_threads()
print(f"loaded: {loaded}; nproc of a child: {child}; asked: {mask()}")
END

export OMP_PLACES=threads
note "CPUs of the main thread with OMP_PLACES=threads; no parallel region is opened"
same "libgomp 12.2" "loaded: A; nproc of a child: 1; asked: A" "$(on_both python3 load.py "$libraries/libgomp.so.1")"
same "libomp 14" "loaded: A B; nproc of a child: 2; asked: A" "$(on_both python3 load.py "$libraries/libomp.so.5")"
same "libiomp5 2026.2" "loaded: A B; nproc of a child: 2; asked: A B" \
    "$(on_both python3 load.py "$work/intel-openmp/lib/libiomp5.so")"
finish
