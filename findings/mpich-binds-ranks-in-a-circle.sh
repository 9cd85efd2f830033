#!/usr/bin/env bash
# MPICH binds more ranks than there are cores in a circle: some cores have two ranks, and nothing says so.
#
# Software: MPICH 5.0.2, beside Open MPI 5.0.11.
#
# One would expect: `mpiexec -bind-to core` gives each rank a core of its own, and where there are too few, it says so.
#
# What happens with a rank more than there are cores: the last rank has the core of the first one; no message, status 0.
# Open MPI refuses the same: "There are not enough slots available in the system to satisfy the 3" (slots that were
# asked for), status 1.
#
# Why it matters: where a cpuset leaves fewer cores than somebody counted, two ranks share one for the whole run, while
# the scheduler may not move either. Each rank that looks at its mask sees a core of its own.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

wheel mpich==5.0.2
open_mpi 5.0.11
two_cpus
cores=$(sort -u /sys/devices/system/cpu/cpu*/topology/thread_siblings_list | wc -l)
count=$((cores + 1))

mask="sed -n 's/^Cpus_allowed_list:.//p' /proc/self/status"
note "$count ranks on $cores cores"
ranks "$mask" "$work/mpich/bin/mpiexec" -n "$count" -bind-to core 2> said | tr ' ' '\n' > masks
same "MPICH -bind-to core, ranks" "$count" "$(grep -c . masks)"
same "MPICH, cores that they have" "$cores" "$(sort -u masks | wc -l)"
same "MPICH, cores with two ranks" 1 "$(sort masks | uniq -d | wc -l)"
same "MPICH says" "nothing" "$(cat said)$([[ -s said ]] || echo nothing)"
status=0
ranks "$mask" "$mpirun" -n "$count" --bind-to core > masks 2> said || status=$?
holds "Open MPI --bind-to core, status" "$status" test "$status" -ne 0
holds "Open MPI says" "$(grep -a -m 1 'not enough slots' said || true)" grep -aq 'not enough slots' said
finish
