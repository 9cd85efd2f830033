#!/usr/bin/env bash
# Under a mask, numactl refuses a CPU by its number, and gives the same CPU by other words.
#
# Software: numactl 2.0.16 with libnuma 2.0.16 (Debian 12).
#
# One would expect: what numactl may use is one set of CPUs, which is the same for all of its options. Inside of
# `taskset -c A` (or of a rank that a launcher has bound) that is A: numactl can take CPUs away, and adds none.
#
# What happens, on two CPUs A and B of one NUMA node, inside of `taskset -c A`:
#   numactl -C B:   refused, "libnuma: Warning: cpu argument 1 is out of range"
#   numactl -C '!A': B
#   numactl -C all: A
#   numactl -N 0:   A B (all CPUs of the node)
#
# Why it matters: `mpirun ... numactl -N 0 ./app`, which is meant to be about memory too, takes the rank out of the CPUs
# that the launcher gave it: all ranks of a node share all of its CPUs again, and what the launcher reports as bound is
# not.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb numactl=2.0.16-1 libnuma1=2.0.16-1
two_cpus
export LD_LIBRARY_PATH=$libraries
numactl=$work/deb/usr/bin/numactl

node=
for folder in /sys/devices/system/node/node[0-9]*; do
    [[ ! -e $folder/cpu$one || ! -e $folder/cpu$two ]] || node=${folder##*/node}
done
[[ -n $node ]] || fail "the two CPUs are not on one NUMA node here"

cat > where.py << 'END'
import os
cpus = os.sched_getaffinity(0)
print("A" * (int(os.environ["one"]) in cpus) + "B" * (int(os.environ["two"]) in cpus))
END
under_mask() { # OPTIONS...
    bounded taskset -c "$one" "$numactl" "$@" python3 where.py
}
note "numactl inside of taskset -c A"
status=0
under_mask -C "$two" > said 2>&1 || status=$?
same "numactl -C B, status" 1 "$status"
holds "numactl -C B says" "$(head -n 1 said)" grep -q "cpu argument $two is out of range" said
seen=$(under_mask -C "!$one")
holds "numactl -C '!A'" "$seen" test "$seen" = B
same "numactl -C all" A "$(under_mask -C all)"
same "numactl -N (their node)" AB "$(under_mask -N "$node")"
finish
