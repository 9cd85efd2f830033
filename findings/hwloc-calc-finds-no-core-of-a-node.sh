#!/usr/bin/env bash
# On machines with two kinds of memory, the cores of a NUMA node cannot be named: hwloc-calc finds none.
#
# Software: hwloc 2.9.0 (Debian 12), with descriptions of machines; nothing of the machine at hand is asked for.
#
# One would expect: numa:0.core:0 is the first core of node 0, on any machine.
#
# What happens, on two packages with two cores each:
#   a node in each package:           numa:0 is 0x00000003, numa:0.core:0 is 0x00000001
#   two nodes in each (DRAM and HBM): numa:0 is 0x00000003, numa:0.core:0 is 0x0 with "object #0 depth 2 below cpuset
#                                     0x00000003 nodeset 0x00000001 does not exist", and the status is 0
# What stands below a node is found by both of its sets. A core is local to both nodes, so its set of nodes is within
# that of neither. `hwloc-calc -I core numa:0` does find cores 0 and 1.
#
# Why it matters: a script that binds by numa:K.core:N works on every ordinary machine and, on the one with
# high-bandwidth memory for which it was written, makes an empty mask, with the status of success.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

deb hwloc-nox=2.9.0-1 libhwloc15=2.9.0-1
export LD_LIBRARY_PATH=$libraries
calc() { # MACHINE WORDS...
    bounded "$work/deb/usr/bin/hwloc-calc" -i "$@" 2> said
}
ordinary='pack:2 [numa] core:2 pu:1'
both='pack:2 [numa] [numa] core:2 pu:1'

note "a node in each package: $ordinary"
same "numa:0" 0x00000003 "$(calc "$ordinary" numa:0)"
same "numa:0.core:0" 0x00000001 "$(calc "$ordinary" numa:0.core:0)"
note "two nodes in each package: $both"
same "numa:0" 0x00000003 "$(calc "$both" numa:0)"
status=0
seen=$(calc "$both" numa:0.core:0) || status=$?
same "numa:0.core:0" 0x0 "$seen"
same "its status" 0 "$status"
holds "it says" "$(head -n 1 said)" grep -q 'does not exist' said
same "numa:0 -I core" 0,1 "$(calc "$both" -I core numa:0)"
same "package:0.core:0" 0x00000001 "$(calc "$both" package:0.core:0)"
finish
