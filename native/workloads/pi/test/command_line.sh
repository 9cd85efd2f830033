#!/bin/sh
# The program as its users meet it: lines, exit statuses, messages. Argument: the program.
program=$1
failures=0

# expect STATUS PATTERN ARGUMENTS...: the exit status, and a pattern that output or messages must contain.
expect() {
    status=$1 pattern=$2
    shift 2
    output=$("$program" "$@" 2>&1)
    found=$?
    if [ "$found" -ne "$status" ] || ! printf '%s\n' "$output" | grep -Eq -- "$pattern"; then
        printf 'pi %s: exit status %s (expected %s), expected /%s/ in:\n%s\n' "$*" "$found" "$status" "$pattern" "$output"
        failures=$((failures + 1))
    fi
}

expect 0 '^pi: 3\.14159265[0-9]+$' 2 --steps 1000000
expect 0 '^error: [0-9.e-]+, allowed [0-9.e-]+$' 2 --steps 1000000
expect 0 '^time: [0-9]+\.[0-9]+ s$' 2 --steps 1000000
expect 0 '^throughput: [0-9]+\.[0-9]+ Msteps/s$' 2 --steps 1000000
expect 0 '^worked: [12]$' 2 --steps 1000000
expect 0 '^threads: 5$' 5 --steps 1000000
expect 0 '^pinning: off$' 2 --steps 1000
expect 0 '^deviation: [0-9]+\.[0-9]+ s \([0-9.]+ %\)$' 2 --steps 100000 --repeat 5
expect 0 '^runs: 5$' 2 --steps 100000 --repeat 5
expect 0 '^pinning: thread k to CPU k of [0-9 ]+$' 2 --steps 1000000 --pin on --repeat 3
expect 0 '^pi: 3\.14159265[0-9]+$' 3 --steps 1000000 --pin on --pin-step 2 --repeat 20
expect 0 '^pi: 3\.200000' 1 --steps 1
expect 0 '^usage: pi' --help
expect 2 "threads: found 'x', expected a whole number from 0 to 65536" x
expect 2 "found option '--step'" --step 3
# The mask of the process is respected: by the number of threads, and by the CPUs to which they are pinned.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/.*[,-]//')
program_free=$program
program=taskset
expect 0 '^threads: 1$' -c "$cpu" "$program_free" --steps 1000000
expect 0 "^pinning: thread k to CPU k of $cpu\$" -c "$cpu" "$program_free" 2 --steps 1000000 --pin on
expect 0 'warning: 2 threads are pinned to 1 CPUs' -c "$cpu" "$program_free" 2 --steps 1000000 --pin on

[ "$failures" -eq 0 ] && echo "command line: all as expected"
[ "$failures" -eq 0 ]
