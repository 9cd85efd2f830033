#!/bin/sh
# Each program in all its modes for some milliseconds; each checks its own result. Argument: the folder of the programs.
folder=$1
# shellcheck source=../../testing/expect.sh
. "$(dirname "$0")/../../testing/expect.sh"

# may_fail MODE PATTERN COMMAND...: it is done, or its message has the pattern.
may_fail() {
    mode=$1 pattern=$2
    shift 2
    if "$@" > /dev/null 2>&1; then expect 0 "^$mode: done$" "$@"; else expect 1 "^$pattern" "$@"; fi
}

export CASES_CHECK=1
data=$(mktemp)
trap 'rm -f "$data"' EXIT
head -c 2097152 /dev/zero > "$data"

for program in cases cases_static; do
    cases=$folder/$program
    for mode in serial-init parallel-init unbalanced phases alternating helper-init stream stream-first ring pipe \
        forked-private forked-shared; do
        for threads in 1 2 3; do expect 0 "^$mode: done$" "$cases" "$mode" 1 2 "$threads"; done
    done
    for mode in chase table table-queue shared-writes; do expect 0 "^$mode: done$" "$cases" "$mode" 1 1000 2; done
    for mode in compute brief sleepy; do expect 0 "^$mode: done$" "$cases" "$mode" 0 1 2; done
    expect 0 '^own-affinity: done$' "$cases" own-affinity 1 2 1
    # Where there is one node, no huge page is reserved, or the calls are forbidden, these cannot work; they must say so.
    may_fail own-mbind 'cases: mbind to node 1' "$cases" own-mbind 1 2
    may_fail own-interleave 'cases: set_mempolicy' "$cases" own-interleave 1 2 2
    may_fail hugetlb 'cases: mmap of reserved huge pages' "$cases" hugetlb 1 2
    expect 0 '^mapped: done$' "$cases" mapped 2 2 1 "$data"
    expect 0 '^spawn: done$' "$cases" spawn 0 0 1 "$cases" compute 0 1 1
    expect 1 'did not end well' "$cases" spawn 0 0 1 false
    expect 1 'the file is smaller' "$cases" mapped 3 1 1 "$data"
    expect 1 'mapped: the file' "$cases" mapped 1 1 1 "$data.not-there"
    CASES_PIN=0 expect 0 '^serial-init: done$' "$cases" serial-init 1 2 3
    CASES_PIN=0,x expect 1 'CASES_PIN' "$cases" serial-init 1 2 3
    expect 2 "no case is called 'other'" "$cases" other 1 1
    expect 2 "ROUNDS: found 'x'" "$cases" chase 1 x
    expect 2 'THREADS: found' "$cases" chase 1 1 0
    expect 0 '^usage: cases' "$cases" --help
done
for how in serial parallel; do OMP_NUM_THREADS=3 expect 0 'done$' "$folder/cases_openmp" $how 1 2; done
expect 3 '^stopwatch label [0-9]+\.[0-9]+ 3$' "$folder/stopwatch" label sh -c 'exit 3'
expect 0 '^stopwatch label 7\.000000 0$' "$folder/stopwatch" label sh -c 'echo seconds: 7'
expect 0 '^stopwatch label 0\.[0-9]+ 0$' "$folder/stopwatch" --wall label sh -c 'echo seconds: 7'
expect 2 '^usage: stopwatch' "$folder/stopwatch" --wall label
expect 137 '^stopwatch label [0-9.]+ 137$' "$folder/stopwatch" label sh -c 'kill -9 $$'
if [ -x "$folder/cases_tbb" ]; then
    expect 0 'done$' "$folder/cases_tbb" 1 2 2
else
    echo 'SKIPPED: cases_tbb: oneTBB is not installed'
fi

echo "cases: $runs runs, $failures not as expected"
[ "$failures" -eq 0 ]
