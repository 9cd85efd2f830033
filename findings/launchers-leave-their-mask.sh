#!/usr/bin/env bash
# mpirun and mpiexec bind ranks to CPUs that they themselves may not use.
#
# Software: Open MPI 4.1.8 and 5.0.11, MPICH 5.0.2.
#
# One would expect: `taskset -c B mpirun -n 1 ./app` runs app on B. A launcher divides the CPUs that it was given.
#
# What happens, started on the second CPU, B, only:
#   Open MPI -n 1, which binds by default: the rank runs on A
#   MPICH -bind-to core -n 2: one rank runs on A, one on B
#   Open MPI --bind-to none, MPICH without -bind-to: B
# They look at the whole computer (all that the cgroup allows), and count its cores from the first one.
#
# Why it matters: two jobs that somebody keeps apart by taskset or numactl meet on the first cores, and the others are
# idle. The mask that the user sees in the shell is not that of the ranks, and no option was typed that says so.

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
# Without this the first core may be another one than A.
[[ $one == 0 ]] || fail "the first CPU, 0, is not ours, so that the launchers have another first core"

cat > where << 'END'
#!/usr/bin/env bash
python3 -c 'import os
cpus = os.sched_getaffinity(0)
print("".join(name for name in "AB" if int(os.environ[{"A": "one", "B": "two"}[name]]) in cpus))'
END
chmod +x where
note "the launcher is started on B"
same "without a launcher" B "$(taskset -c "$two" ./where)"
for mpirun in "$four" "$five"; do
    version=$("$mpirun" --version | sed -n '1s/.* //p')
    same "Open MPI $version, -n 1" A "$(ranks ./where taskset -c "$two" "$mpirun" -n 1)"
    same "Open MPI $version, -n 1 --bind-to none" B "$(ranks ./where taskset -c "$two" "$mpirun" -n 1 --bind-to none)"
done
same "MPICH, -n 2 -bind-to core" "A B" "$(ranks ./where taskset -c "$two" "$mpich" -n 2 -bind-to core)"
same "MPICH, -n 2" "B B" "$(ranks ./where taskset -c "$two" "$mpich" -n 2)"
finish
