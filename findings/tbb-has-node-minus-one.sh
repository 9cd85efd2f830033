#!/usr/bin/env bash
# Where a helper library cannot be loaded, oneTBB says that there is one NUMA node, number -1, and binds nothing.
#
# Software: oneTBB 2022.0.0 (tbb and tbb-devel from the Python package index), hwloc 2.9.0 (Debian 12); for comparison
# 2023.2.0.
#
# One would expect: tbb::info::numa_nodes() gives the numbers of the nodes, or an error. An arena with a node as its
# constraint has its threads there.
#
# What happens on a machine with one node:
#   with libhwloc.so.15: nodes 0
#   without:             nodes -1; no message, no exception
# The library that knows nodes, libtbbbind, needs libhwloc.so.15. The wheel has the former and not the latter, nor
# depends on it. Node -1 is "any": an arena that is made for each node is made once, and its threads are free. The wheel
# of 2023.2.0 brings a libtbbbind with hwloc in it, and gives 0; other builds, such as Debian's, need the library still.
#
# Why it matters: the usual loop over numa_nodes() runs everywhere, and gives one free arena in a container without
# hwloc. Only TBB_VERSION=1 tells ("TBBBIND: UNAVAILABLE"), and the time.

set -euo pipefail
# shellcheck source=lib.sh source-path=SCRIPTDIR
source "$(dirname "$0")/lib.sh"

wheel tbb==2022.0.0 tbb-devel==2022.0.0
mv tbb tbb-2022
wheel tbb==2023.2.0
deb libhwloc15=2.9.0-1
need g++
cat > nodes.cpp << 'END'
#include <cstdio>
#include <tbb/info.h>

int main()
{
    const char *between = "";
    for (int node : tbb::info::numa_nodes()) {
        std::printf("%s%d", between, node);
        between = " ";
    }
    std::printf("\n");
}
END
g++ -std=c++17 nodes.cpp -o nodes -I "$work/tbb-devel/include" "$work/tbb-2022/lib/libtbb.so.12"
# A libhwloc without anything in it stands before that of this machine: as if there were none.
mkdir none
compile none/libhwloc.so.15 -shared -fPIC < /dev/null

nodes() { # FOLDER of oneTBB, FOLDER of libhwloc
    LD_LIBRARY_PATH=$work/$1/lib:$2 bounded ./nodes
}
kernel=$(python3 -c 'import glob; print(*sorted(int(f.rsplit("node")[-1]) for f in glob.glob("/sys/devices/system/node/node[0-9]*") if open(f + "/cpulist").read().strip()))')
note "tbb::info::numa_nodes(); the kernel has: $kernel"
same "2022.0.0 with libhwloc" "$kernel" "$(nodes tbb-2022 "$libraries")"
same "2022.0.0 without" -1 "$(nodes tbb-2022 "$work/none")"
said=$(TBB_VERSION=1 nodes tbb-2022 "$work/none" 2>&1 | grep TBBBIND || true)
holds "2022.0.0 without, with TBB_VERSION=1" "${said//$'\t'/ }" test "${said##*UNAVAILABLE}" != "$said"
same "2023.2.0 without" "$kernel" "$(nodes tbb "$work/none")"
finish
