#!/usr/bin/env bash
# The peak memory of a small program is that of the large one that started it.
#
# Software: Linux 6.18 (the one that runs is asked); Python's subprocess, fork with exec, and posix_spawn.
#
# One would expect: ru_maxrss of a child (wait4, getrusage(RUSAGE_CHILDREN), `time -v`) is the largest resident set of
# the program that the child ran. For `true` that is a few MB at most.
#
# What happens where a Python with 200 MB starts `true`:
#   by subprocess: 213 MB; by fork and exec: 210 MB; by posix_spawn: 213 MB
#   by posix_spawn from a Python that holds nothing: 13 MB, which is Python's own
# Until exec the child shares the memory of its parent, or has a copy of its tables. At exec the kernel keeps the peak
# of the memory that is given up, as that of the process.
#
# Why it matters: a driver in Python that runs a solver for each point of a study and notes its peak memory notes its
# own, as soon as that is larger. The figures are plausible, grow with the study, and are the same for all solvers.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

need python3 true
cat > peak.py << 'END'
import os, shutil, subprocess
held = bytearray(200 << 20)
for k in range(0, len(held), 4096):
    held[k] = 1
true = shutil.which("true")

def peak(number):
    return os.wait4(number, 0)[2].ru_maxrss >> 10

def forked():
    number = os.fork()
    if number == 0:
        os.execv(true, ["true"])
    return number

started = subprocess.Popen([true])  # kept: Python would wait for it itself otherwise
print(peak(started.pid), peak(forked()), peak(os.posix_spawn(true, ["true"], os.environ)))
END
cat > small.py << 'END'
import os, shutil
number = os.posix_spawn(shutil.which("true"), ["true"], os.environ)
print(os.wait4(number, 0)[2].ru_maxrss >> 10)
END

note "Linux $(uname -r); MB of 'true', started by a program that holds 200 MB"
read -r subprocess fork spawn < <(bounded python3 peak.py)
holds "by Python's subprocess" "$subprocess" test "$subprocess" -ge 200
holds "by fork and exec" "$fork" test "$fork" -ge 200
holds "by posix_spawn" "$spawn" test "$spawn" -ge 200
small=$(bounded python3 small.py)
holds "by posix_spawn, from a program that holds nothing" "$small" test "$small" -lt 100
finish
