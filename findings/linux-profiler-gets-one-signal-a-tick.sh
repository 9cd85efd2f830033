#!/usr/bin/env bash
# A profiler that asks for a sample each half millisecond of CPU time gets one each tick of the kernel.
#
# Software: Linux 6.18 (the one that runs is asked), with a tick of 4 ms (250 in a second).
#
# One would expect: setitimer(ITIMER_PROF) of 0.5 ms brings 2,000 signals in a second of CPU time, as its clock, whose
# resolution is 1 ns (clock_getres), and the value that is read back (0.0005) promise.
#
# What happens in 1 s of CPU time, asked for and got:
#   each 0.5 ms: 2000, 252
#   each 4 ms:    250, 250
# Timers of CPU time are looked at when the kernel's clock ticks, high-resolution timers or not. What was due meanwhile
# is one signal.
#
# Why it matters: a profile has an eighth of the samples that its header says. Shares of functions are right and their
# errors are three times as large; times, as samples by period, are eight times too small. Code that runs in step with
# the tick is never seen.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

need python3
cat > timer.py << 'END'
import signal, time

got = 0

def handler(*_):
    global got
    got += 1

tick = time.clock_getres(6)  # CLOCK_MONOTONIC_COARSE: what the kernel's tick sets
signal.signal(signal.SIGPROF, handler)
for period in (tick / 8, tick):
    got = 0
    signal.setitimer(signal.ITIMER_PROF, period, period)
    begin = time.process_time()
    while time.process_time() - begin < 1:
        pass
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(f"{period * 1e3:g} {1 / period:.0f} {got} {1 / tick:.0f}")
END
note "Linux $(uname -r); signals of ITIMER_PROF in 1 s of CPU time"
# On a busy machine more ticks than usual fall into a second of CPU time, but no more than twice as many.
while read -r period asked got ticks; do
    what="each $period ms: asked for $asked, ticks $ticks, got"
    holds "$what" "$got" test "$got" -le "$((ticks * 2))"
    holds "$what" "$got" test "$got" -ge "$((ticks / 2))"
done < <(bounded python3 timer.py)
finish
