#!/usr/bin/env bash
# What a process has read and written grows by gigabytes while it does nothing but wait for a child.
#
# Software: Linux 6.18 (the one that runs is asked).
#
# One would expect: /proc/PID/io has what the process did. Of CPU time /proc/PID/stat has the children's apart (cutime),
# and getrusage has RUSAGE_CHILDREN.
#
# What happens with a child that reads 50,000,000 bytes, by what the parent's rchar has grown:
#   while the child runs, and when it has ended: less than 1 MB
#   when the parent has waited for it:           50 MB
# The kernel adds the account of a child to its parent's at the moment of waitpid. There is no field for it.
#
# Why it matters: bytes are counted twice by whoever adds up the processes of a job, once in the child and once in the
# launcher, the shell or the Python that waited for it. A rate that is computed from two looks has a peak where a child
# was collected, hours after its I/O.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

need python3 head
cat > account.py << 'END'
import os, subprocess

def rchar():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])

before = rchar()
child = subprocess.Popen(["head", "-c", "50000000", "/dev/zero"], stdout=subprocess.DEVNULL)
os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
ended = rchar()
child.wait()
print(ended - before, rchar() - before)
END
note "Linux $(uname -r); growth of rchar of a process whose child reads 50,000,000 bytes"
read -r ended waited < <(bounded python3 account.py)
holds "the child has ended" "$ended" test "$ended" -lt 1000000
holds "it was waited for" "$waited" test "$waited" -ge 50000000
finish
