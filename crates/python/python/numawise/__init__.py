"""Where threads and memory live: the machine, the CPUs of workers, arrays on NUMA nodes, and what numawise measures of programs.

    import numawise

    numawise.machine()                                  # CPUs and nodes that this process may use
    numawise.pin(worker, of=workers)                    # a worker's share of the CPUs
    u = numawise.empty((1000, 1000), on="hbm", or_else="interleave")
    numawise.pages(u)                                   # bytes on each node
    numawise.check(["./solver", "400"], budget="60s")   # does placement matter for it?
    numawise.read("solver.nw").table("trials").to_pandas()

All but `check`, `where` and `read` call the kernel themselves; those run the command `numawise`. What is not known is None; a table has the
reason in a column of its own.
"""

import sys as _sys

if _sys.platform != "linux":
    raise ImportError(
        f"numawise places threads and memory by calls of the Linux kernel; this is {_sys.platform}, where it cannot be used"
    )

from ._arrays import alloc, empty, pages
from ._command import CommandError, check, read, where
from ._native import Error, Machine, Memory, Node, Pages, Pinned, Placement, machine, pin
from ._place import plan
from ._results import Result, Table

__all__ = [
    "CommandError",
    "Error",
    "Machine",
    "Memory",
    "Node",
    "Pages",
    "Pinned",
    "Placement",
    "Result",
    "Table",
    "alloc",
    "check",
    "empty",
    "machine",
    "pages",
    "pin",
    "plan",
    "read",
    "where",
]
