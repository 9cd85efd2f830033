#!/bin/sh
# The program as its users meet it: lines, exit statuses, messages. Argument: the program.
program=$1
# shellcheck source=../../testing/expect.sh
. "$(dirname "$0")/../../testing/expect.sh"

small="24 20 18 2 24 8 8"
# shellcheck disable=SC2086
{
    expect 0 '^throughput: [0-9]+\.[0-9]+ MPoints/s$' "$program" $small 2
    expect 0 '^flops: [0-9]+\.[0-9]+ GFLOP/s$' "$program" $small 2
    expect 0 '^time: [0-9]+\.[0-9]+ s$' "$program" $small 2
    expect 0 '^initialisation: [0-9]+\.[0-9]+ s$' "$program" $small 2
    expect 0 '^first touch: by one thread$' "$program" $small 2
    expect 0 '^first touch: by the computing threads$' "$program" $small 2 --first-touch
    expect 0 '^first touch: of now, velocity by the computing threads$' "$program" $small 2 --first-touch=velocity,now
    expect 0 '^check: passed' "$program" $small 3 --check --first-touch=other
    expect 2 "found 'all', expected now, other or velocity" "$program" $small 2 --first-touch=all
    expect 0 '^schedule: dynamic$' "$program" $small 2 --schedule dynamic
    expect 0 'warning: with the dynamic schedule' "$program" $small 2 --schedule dynamic --first-touch
    expect 0 'warning: 9 blocks for 12 threads' "$program" $small 12
    expect 0 '^check: passed' "$program" $small 2 --check
    expect 0 '^check: passed' "$program" $small 3 --check --first-touch --isa generic
    expect 0 '^usage: iso3dfd' "$program" --help
    expect 2 'found 7 numbers, expected 8' "$program" $small
    expect 2 "n1: found 'x', expected a whole number from 1 to 65536" "$program" x 20 18 2 24 8 8 2
    expect 2 "--schedule: found 'auto', expected static or dynamic" "$program" $small 2 --schedule auto
    expect 1 'cannot have the memory for 60000 x 60000 x 60000' "$program" 60000 60000 60000 1 8 8 8 1
}
OMP_NUM_THREADS=3 expect 0 '^threads: 3$' "$program" 24 20 18 2 24 8 8 0

[ "$failures" -eq 0 ] && echo "command line: all as expected"
[ "$failures" -eq 0 ]
