#!/usr/bin/env bash
# mpi4py hands MPI only the levels 0, 1 and 2 of MPI_Pcontrol; with all others it raises an error.
#
# Software: mpi4py 4.1.2 with MPICH 5.0.2.
#
# One would expect: MPI.Pcontrol(level) passes any integer on. The standard (MPI 4.1, miscellaneous control of profiling) gives a meaning to 0, 1
# and 2, and leaves all other levels to the profiling library.
#
# What happens: levels below 0 and above 2 raise MPI_ERR_ARG before MPI sees them. MPI_Pcontrol of the same library,
# called from the same process by its name, takes them.
#
# Why it matters: tools name phases by other levels: mpiP by any from 3 on too, Intel's APS ends a region by its
# negative number. A Python program that does as their manuals say ends with an error, with and without the tool.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

wheel mpi4py==4.1.2 mpich==5.0.2
cat > levels.py << 'PYTHON'
import ctypes, os
from mpi4py import MPI

library = ctypes.CDLL(os.environ["MPI4PY_LIBMPI"])

def by_mpi4py(level):
    try:
        MPI.Pcontrol(level)
        return "taken"
    except MPI.Exception as error:
        return "refused" if error.Get_error_class() == MPI.ERR_ARG else str(error)

def by_name(level):
    return "taken" if library.MPI_Pcontrol(level) == MPI.SUCCESS else "refused"

for level in (-5, -1, 0, 1, 2, 3, 5):
    print(level, by_mpi4py(level), by_name(level))
PYTHON
export PYTHONPATH=$work/mpi4py MPI4PY_LIBMPI=$work/mpich/lib/libmpi.so.12
LD_LIBRARY_PATH=$work/mpich/lib bounded "$work/mpich/bin/mpiexec" -n 1 python3 levels.py > said || fail "the levels could not be tried: $(tail -n 1 said)"

of() { # COLUMN VALUE: the levels with that answer
    awk -v column="$1" -v value="$2" '$column == value { printf "%s%s", separator, $1; separator = " " }' said
}
same "levels that mpi4py hands on" "0 1 2" "$(of 2 taken)"
same "levels that mpi4py refuses" "-5 -1 3 5" "$(of 2 refused)"
same "levels that the library takes" "-5 -1 0 1 2 3 5" "$(of 3 taken)"
finish
