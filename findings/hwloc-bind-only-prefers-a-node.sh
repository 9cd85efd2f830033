#!/usr/bin/env bash
# hwloc-bind with the memory policy "bind" does not bind memory.
#
# Software: hwloc 2.9.0 (Debian 12).
#
# One would expect: `hwloc-bind --membind node:0 --mempolicy bind ./app` is what `numactl --membind 0 ./app` is: pages
# come from node 0, or there are none.
#
# What happens: the kernel's policy of the process, from /proc/self/numa_maps:
#   hwloc-bind --mempolicy bind:          prefer (many):0
#   hwloc-bind --mempolicy bind --strict: bind:0
# Without --strict, memory goes elsewhere as soon as the node is full.
#
# Why it matters: a run that should show what the memory of one node can do is the faster the more of it lies on the
# others, and a program that is expected to fail at the size of the high-bandwidth memory goes on, slowly. Results of
# numactl and of hwloc-bind for "the same binding" differ.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb hwloc-nox=2.9.0-1 libhwloc15=2.9.0-1
export LD_LIBRARY_PATH=$libraries
node=$(sed 's/[-,].*//' /sys/devices/system/node/has_memory 2> /dev/null) || fail "the kernel shows no NUMA nodes here"

policy() { # OPTIONS...: of the heap
    bounded "$work/deb/usr/bin/hwloc-bind" --membind "node:0" --mempolicy bind "$@" -- \
        sed -n 's/^[0-9a-f]* \(.*\) heap.*/\1/p' /proc/self/numa_maps 2>&1
}
note "hwloc-bind --membind node:0 --mempolicy bind; node:0 is the kernel's node $node"
same "as it is" "prefer (many):$node" "$(policy)"
same "--strict" "bind:$node" "$(policy --strict)"
finish
