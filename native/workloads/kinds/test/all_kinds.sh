#!/bin/sh
# Every kind with one, two and five threads, and what is refused. Argument: the program.
kinds=$1
# shellcheck source=../../testing/expect.sh
. "$(dirname "$0")/../../testing/expect.sh"

for kind in compute chunks triangle serial-part forks triad triad-serial chase chase-shared reuse mixed phases pipeline lock \
    queue exchange; do
    for threads in 1 2 5; do expect 0 "^$kind: done$" "$kinds" "$kind" "$threads" 0.01; done
    expect 0 '^seconds: [0-9]+\.[0-9]+$' "$kinds" "$kind" 2 0.01 --stretched
done
# 60 ms of work: no core does it in 10.
expect 0 '^seconds: (0\.0[1-9]|0\.[1-9]|[1-9])' "$kinds" compute 1 0.1
expect 2 "no kind is called 'other'" "$kinds" other 1
expect 2 'THREADS: found' "$kinds" compute 0.5
expect 2 "SIZE: found 'x'" "$kinds" compute 1 x
expect 2 '^usage: kinds' "$kinds"
expect 0 '^usage: kinds' "$kinds" --help

echo "kinds: $runs runs, $failures not as expected"
[ "$failures" -eq 0 ]
