#!/usr/bin/env bash
# Ranks that MPI_Comm_spawn starts have the rank and the size of other ranks of the run in their environment.
#
# Software: MPICH 5.0.2, Open MPI 5.0.11, each with mpi4py 4.1.2.
#
# One would expect: the variables by which launchers tell a process its rank before MPI_Init (PMI_RANK,
# OMPI_COMM_WORLD_RANK) are different in all processes that one launcher has started, or something beside them tells
# the processes apart.
#
# What happens: they are those of MPI_COMM_WORLD, of which each spawn makes a new one. Two ranks that spawn two have
# PMI_RANK 0 and 1 twice. Open MPI has a name of the world beside it, PMIX_NAMESPACE. MPICH tells a spawned process
# only that it is one (PMI_SPAWNED=1): two spawns of the same run cannot be told apart.
#
# Why it matters: scripts and tools that name a file, choose a GPU or a core by the rank variable do so twice for the
# same rank: the second overwrites the first, or sits on its core. A tool that collects by rank mixes worlds up.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

wheel mpi4py==4.1.2 mpich==5.0.2
open_mpi 5.0.11
two_cpus
cat > spawn.py << 'END'
import os, sys
from mpi4py import MPI
parent = MPI.Comm.Get_parent()
world = sys.argv[2]
with open(os.path.join(sys.argv[1], "%s.%d" % (world, MPI.COMM_WORLD.rank)), "w") as file:
    for name in sorted(os.environ):
        if name in ("PMI_RANK", "PMI_SIZE", "PMI_SPAWNED", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"):
            file.write("%s=%s\n" % (name, os.environ[name]))
if parent == MPI.COMM_NULL:
    for name in ("second", "third"):
        words = [sys.argv[0], sys.argv[1], name]
        MPI.COMM_WORLD.Spawn(sys.executable, args=words, maxprocs=2).Disconnect()
else:
    parent.Disconnect()
END
export PYTHONPATH=$work/mpi4py

spawns() { # FOLDER LIBRARY LAUNCHER...: three worlds of two ranks leave their variables in the folder
    mkdir "$1"
    MPI4PY_LIBMPI=$2 LD_LIBRARY_PATH=$(dirname "$2") bounded "${@:3}" -n 2 python3 "$work/spawn.py" "$work/$1" first > said 2>&1 ||
        fail "$1: the ranks could not be spawned: $(tail -n 1 said)"
}
variable() { # FOLDER NAME: its values in the worlds, one after the other
    sed -n "s/^$2=//p" "$1"/first.* "$1"/second.* "$1"/third.* | tr '\n' ' ' | sed 's/ $//'
}

spawns of-mpich "$work/mpich/lib/libmpi.so.12" "$work/mpich/bin/mpiexec"
spawns of-open-mpi "$work/openmpi-5.0.11/lib/libmpi.so.40" "$mpirun" --oversubscribe
same "MPICH, PMI_RANK in three worlds" "0 1 0 1 0 1" "$(variable of-mpich PMI_RANK)"
same "MPICH, PMI_SIZE" "2 2 2 2 2 2" "$(variable of-mpich PMI_SIZE)"
same "MPICH, PMI_SPAWNED" "1 1 1 1" "$(variable of-mpich PMI_SPAWNED)"
same "MPICH, second and third world differ in" "nothing" "$(cat of-mpich/second.* > second; cat of-mpich/third.* > third; cmp -s second third && echo nothing)"
same "Open MPI, OMPI_COMM_WORLD_RANK" "0 1 0 1 0 1" "$(variable of-open-mpi OMPI_COMM_WORLD_RANK)"
same "Open MPI, names of worlds" 3 "$(variable of-open-mpi PMIX_NAMESPACE | tr ' ' '\n' | sort -u | wc -l)"
finish
