#!/usr/bin/env bash
# How many ranks mpirun starts decides how many CPUs each may use, and the fewest ranks get the fewest CPUs.
#
# Software: Open MPI 4.1.8 and 5.0.11, beside MPICH 5.0.2.
#
# One would expect: `mpirun -n 1 ./app` runs app where `./app` would run; at most, that each rank gets its share of the
# computer, so that one rank has all of it.
#
# What happens on two CPUs (nproc in each rank):
#   Open MPI -n 1: 1; -n 2: 1 1; -n 3 --oversubscribe: 2 2 2
#   MPICH    -n 1: 2; -n 2: 2 2; -n 3: 2 2 2
# Open MPI binds one or two ranks to a core each. From three on it binds them to something larger (a package, a NUMA
# node), and not at all where there are more ranks than cores.
#
# Why it matters: a hybrid program with a rank and as many threads as cores has all threads on one core, without a word.
# A curve over ranks begins with two points that are measured under another binding than the rest, and the same line
# means something else under the other MPI. `--bind-to none` says what was meant.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

open_mpi 4.1.8
four=$mpirun
open_mpi 5.0.11
five=$mpirun
wheel mpich==5.0.2
mpich=$work/mpich/bin/mpiexec
two_cpus
all=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')

note "CPUs of each rank; without a launcher it is $all"
for mpirun in "$four" "$five"; do
    version=$("$mpirun" --version | sed -n '1s/.* //p')
    seen=$(ranks nproc "$mpirun" -n 1)
    holds "Open MPI $version, -n 1" "$seen" test "$seen" -lt "$all"
    same "Open MPI $version, -n 1 --bind-to none" "$all" "$(ranks nproc "$mpirun" -n 1 --bind-to none)"
    same "Open MPI $version, -n 2" "$seen $seen" "$(ranks nproc "$mpirun" -n 2)"
    more=$(ranks nproc "$mpirun" --oversubscribe -n 3)
    holds "Open MPI $version, -n 3" "$more" test "${more%% *}" -gt "$seen"
done
same "MPICH, -n 1" "$all" "$(ranks nproc "$mpich" -n 1)"
same "MPICH, -n 3" "$all $all $all" "$(ranks nproc "$mpich" -n 3)"
finish
