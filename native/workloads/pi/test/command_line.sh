#!/bin/sh
# The program as its users meet it: lines, exit statuses, messages. Argument: the program.
program=$1
# shellcheck source=../../testing/expect.sh
. "$(dirname "$0")/../../testing/expect.sh"

expect 0 '^pi: 3\.14159265[0-9]+$' "$program" 2 --steps 1000000
expect 0 '^error: [0-9.e-]+, allowed [0-9.e-]+$' "$program" 2 --steps 1000000
expect 0 '^time: [0-9]+\.[0-9]+ s$' "$program" 2 --steps 1000000
expect 0 '^throughput: [0-9]+\.[0-9]+ Msteps/s$' "$program" 2 --steps 1000000
expect 0 '^worked: [12]$' "$program" 2 --steps 1000000
expect 0 '^threads: 5$' "$program" 5 --steps 1000000
expect 0 '^pinning: off$' "$program" 2 --steps 1000
expect 0 '^deviation: [0-9]+\.[0-9]+ s \([0-9.]+ %\)$' "$program" 2 --steps 100000 --repeat 5
expect 0 '^runs: 5$' "$program" 2 --steps 100000 --repeat 5
expect 0 '^pinning: thread k to CPU k of [0-9 ]+$' "$program" 2 --steps 1000000 --pin on --repeat 3
expect 0 '^pi: 3\.14159265[0-9]+$' "$program" 3 --steps 1000000 --pin on --pin-step 2 --repeat 20
expect 0 '^pi: 3\.200000' "$program" 1 --steps 1
expect 0 '^usage: pi' "$program" --help
expect 2 "threads: found 'x', expected a whole number from 0 to 65536" "$program" x
expect 2 "found option '--step'" "$program" --step 3
# The mask of the process is respected: by the number of threads, and by the CPUs to which they are pinned.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/.*[,-]//')
expect 0 '^threads: 1$' taskset -c "$cpu" "$program" --steps 1000000
expect 0 "^pinning: thread k to CPU k of $cpu\$" taskset -c "$cpu" "$program" 2 --steps 1000000 --pin on
expect 0 'warning: 2 threads are pinned to 1 CPUs' taskset -c "$cpu" "$program" 2 --steps 1000000 --pin on

[ "$failures" -eq 0 ] && echo "command line: all as expected"
[ "$failures" -eq 0 ]
