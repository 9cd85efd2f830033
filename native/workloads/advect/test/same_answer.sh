#!/bin/sh
# The answer is right, converges at third order, keeps its mass, and has the same bits with any number of ranks and with each MPI; what is
# wrong with the arguments is said. BUILD is the folder of the programs.
set -eu
build=$1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1

fail() { echo "advect: $*" >&2; exit 1; }
line() { printf '%s\n' "$output" | sed -n "s/^$1: //p"; }

# run MPI RANKS ARGUMENTS...: `output`, of a run that must end well.
run() {
  mpi=$1 ranks=$2
  shift 2
  output=$("mpirun.$mpi" -n "$ranks" "$build/advect-$mpi" "$@") || fail "$mpi, $ranks ranks, $*: status $?: $output"
  [ "$(line answer)" = right ] || fail "$mpi, $ranks ranks, $*: $output"
  [ "$(line ranks)" = "$ranks" ] || fail "expected $ranks ranks: $output"
  for pattern in 'time: [0-9]*\.[0-9]* s' 'throughput: [0-9]*\.[0-9]* MPoints/s' 'halo: [0-9]*\.[0-9]* % of the time, .*'; do
    printf '%s\n' "$output" | grep -qx "$pattern" || fail "no line '$pattern': $output"
  done
}

# refused STATUS PATTERN MPI RANKS ARGUMENTS...
refused() {
  expected=$1 pattern=$2 mpi=$3 ranks=$4 status=0
  shift 4
  output=$("mpirun.$mpi" -n "$ranks" "$build/advect-$mpi" "$@" 2>&1) || status=$?
  [ "$status" = "$expected" ] || fail "$mpi, $ranks ranks, $*: status $status, expected $expected: $output"
  printf '%s\n' "$output" | grep -q -- "$pattern" || fail "expected '$pattern': $output"
}

checksum='' tried=''
for mpi in openmpi mpich; do
  if [ ! -x "$build/advect-$mpi" ] || ! command -v "mpirun.$mpi" > /dev/null; then
    echo "SKIPPED: advect: no mpicc.$mpi or no mpirun.$mpi"
    continue
  fi
  tried=$mpi
  # Odd sizes, so that parts differ.
  for ranks in 1 2 3 4; do
    run "$mpi" $ranks 37 29 23 30
    [ "${checksum:=$(line checksum)}" = "$(line checksum)" ] || fail "$mpi, $ranks ranks: other bits than before: $output"
  done
  run "$mpi" 2 29 37 23 20
  # Another time is another field.
  run "$mpi" 2 37 29 23 31
  [ "$checksum" != "$(line checksum)" ] || fail 'the checksum does not see another field'
  refused 2 'found 3 numbers, expected 4' "$mpi" 1 8 8 8
  refused 2 "nx: found 'x', expected a whole number from 4 to 65536" "$mpi" 1 x 8 8 1
  refused 2 "ny: found '-8'" "$mpi" 1 8 -8 8 1
  refused 2 "steps: found '0'" "$mpi" 2 8 8 8 0
  refused 2 "steps: found '1e3'" "$mpi" 1 8 8 8 1e3
  refused 2 "--courant: found '2'" "$mpi" 1 8 8 8 1 --courant 2
  refused 2 "--courant: found ''" "$mpi" 1 8 8 8 1 --courant
  refused 2 "found option '--fast'" "$mpi" 1 8 8 8 1 --fast
  refused 2 'expected at least 6 and 2 for 3 x 1 ranks' "$mpi" 3 5 4 4 1
  refused 1 'no memory for 65536 x 65536 x 65536 points' "$mpi" 1 65536 65536 65536 1
  refused 0 '^usage: advect' "$mpi" 1 --help
done
if [ -n "$tried" ]; then
  # Twice the points and steps for the same time: a scheme of third order has an eighth of the error where it is fine enough.
  run "$tried" 1 40 40 40 40
  coarse=$(line error) coarse=${coarse%%,*}
  run "$tried" 2 80 80 80 80
  fine=$(line error) fine=${fine%%,*}
  awk -v coarse="$coarse" -v fine="$fine" 'BEGIN { exit !(coarse / fine > 5 && coarse / fine < 11) }' ||
    fail "errors of $coarse and $fine are not of third order"
fi
echo 'advect: all as expected'
