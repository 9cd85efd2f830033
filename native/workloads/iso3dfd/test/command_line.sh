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
        printf 'iso3dfd %s: exit status %s (expected %s), expected /%s/ in:\n%s\n' "$*" "$found" "$status" "$pattern" "$output"
        failures=$((failures + 1))
    fi
}

small="24 20 18 2 24 8 8"
# shellcheck disable=SC2086
{
    expect 0 '^throughput: [0-9]+\.[0-9]+ MPoints/s$' $small 2
    expect 0 '^flops: [0-9]+\.[0-9]+ GFLOP/s$' $small 2
    expect 0 '^time: [0-9]+\.[0-9]+ s$' $small 2
    expect 0 '^initialisation: [0-9]+\.[0-9]+ s$' $small 2
    expect 0 '^first touch: by one thread$' $small 2
    expect 0 '^first touch: by the computing threads$' $small 2 --first-touch
    expect 0 '^schedule: dynamic$' $small 2 --schedule dynamic
    expect 0 'warning: with the dynamic schedule' $small 2 --schedule dynamic --first-touch
    expect 0 'warning: 9 blocks for 12 threads' $small 12
    expect 0 '^check: passed' $small 2 --check
    expect 0 '^check: passed' $small 3 --check --first-touch --isa generic
    expect 0 '^usage: iso3dfd' --help
    expect 2 'found 7 numbers, expected 8' $small
    expect 2 "n1: found 'x', expected a whole number from 1 to 65536" x 20 18 2 24 8 8 2
    expect 2 "--schedule: found 'auto', expected static or dynamic" $small 2 --schedule auto
    expect 1 'cannot have the memory for 60000 x 60000 x 60000' 60000 60000 60000 1 8 8 8 1
}
OMP_NUM_THREADS=3 expect 0 '^threads: 3$' 24 20 18 2 24 8 8 0

[ "$failures" -eq 0 ] && echo "command line: all as expected"
[ "$failures" -eq 0 ]
