#!/usr/bin/env bash
# The variable that says how Open MPI binds is no longer read, and nothing says so.
#
# Software: Open MPI 5.0.11 beside 4.1.8.
#
# One would expect: OMPI_MCA_hwloc_base_binding_policy=none, which stands in job scripts and module files, switches
# binding off in each version; or a version that does not know it says so. The same for `--mca hwloc_base_binding_policy
# none`.
#
# What happens on two CPUs, nproc in one rank:
#   4.1.8:  variable 2, option 2
#   5.0.11: variable 1, option 1, no message, status 0
# In 5.0 another program binds (PRRTE), which has a variable of its own, PRTE_MCA_hwloc_default_binding_policy: 2. The
# old name means nothing any more.
#
# Why it matters: after an update of the MPI the ranks are bound to a core each, by the line that has kept them free for
# years, and all that tells of it is that threads are slow.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

open_mpi 4.1.8
four=$mpirun
open_mpi 5.0.11
five=$mpirun
two_cpus
all=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')

note "CPUs of one rank; all are $all"
same "4.1.8, OMPI_MCA_hwloc_base_binding_policy=none" "$all" \
    "$(OMPI_MCA_hwloc_base_binding_policy=none bounded "$four" -n 1 nproc)"
same "4.1.8, --mca hwloc_base_binding_policy none" "$all" "$(bounded "$four" --mca hwloc_base_binding_policy none -n 1 nproc)"
seen=$(OMPI_MCA_hwloc_base_binding_policy=none bounded "$five" -n 1 nproc 2> said)
holds "5.0.11, OMPI_MCA_hwloc_base_binding_policy=none" "$seen" test "$seen" -lt "$all"
seen=$(bounded "$five" --mca hwloc_base_binding_policy none -n 1 nproc 2>> said)
holds "5.0.11, --mca hwloc_base_binding_policy none" "$seen" test "$seen" -lt "$all"
same "5.0.11 says" "nothing" "$(cat said)$([[ -s said ]] || echo nothing)"
same "5.0.11, PRTE_MCA_hwloc_default_binding_policy=none" "$all" \
    "$(PRTE_MCA_hwloc_default_binding_policy=none bounded "$five" -n 1 nproc)"
same "5.0.11, --bind-to none" "$all" "$(bounded "$five" --bind-to none -n 1 nproc)"
finish
