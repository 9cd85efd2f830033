#!/bin/sh
# Each class that takes less than a second on any machine has the published eigenvalue, with any number of ranks and threads; what is
# no class is refused. BUILD is the folder of the programs.
set -eu
build=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMP_WAIT_POLICY=passive

fail() { echo "cg: $*" >&2; exit 1; }
verified() {
  "$@" | grep -q '^verified: yes$' || fail "not the published eigenvalue: $*"
}
for threads in 1 2 3; do
  export OMP_NUM_THREADS=$threads
  verified "$build/cg" S
done
export OMP_NUM_THREADS=1
verified "$build/cg" W
for mpi in openmpi mpich; do
  if [ ! -x "$build/cg-$mpi" ]; then
    echo "SKIPPED: cg with MPI: no mpicc.$mpi"
    continue
  fi
  command -v "mpirun.$mpi" > /dev/null || { echo "SKIPPED: cg with MPI: no mpirun.$mpi"; continue; }
  for ranks in 1 2 3; do
    verified "mpirun.$mpi" -n $ranks "$build/cg-$mpi" S
  done
  OMP_NUM_THREADS=2 verified "mpirun.$mpi" -n 2 "$build/cg-$mpi" S
done
for words in '' 'X' 'SW' 'S W'; do
  status=0
  # Words are meant to be split.
  # shellcheck disable=SC2086
  "$build/cg" $words > /dev/null 2>&1 || status=$?
  [ $status = 2 ] || fail "'$words' ended with status $status, expected 2"
done
echo 'cg: all verified'
