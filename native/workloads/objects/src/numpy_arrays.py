#!/usr/bin/env python3
"""numpy_arrays: arrays of NumPy, which are used for a known time. The output is that of the other programs (account.h)."""

import ctypes
import inspect
import os
import threading
import time

# A library of threads of its own would use the arrays beside us.
os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy  # noqa: E402

PR_SET_THP_DISABLE = 41
N = 1 << 22


class Account:
    """How long something was used."""

    def __init__(self):
        self.seconds = self.reads = 0.0

    def use_for(self, seconds, reads, work):
        begun = time.thread_time()
        while time.thread_time() < begun + seconds:
            work()
        used = time.thread_time() - begun
        self.seconds += used
        self.reads += used * reads


def main():
    ctypes.CDLL(None).prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0)
    seconds = float(os.environ.get("OBJECTS_SECONDS", "1"))
    # One function of NumPy allocates them all, and Python has no call stack of its own in memory: they are one object.
    line = inspect.currentframe().f_lineno + 1
    field, grid, output = numpy.full(N, 1.0), numpy.full((1536, 2048), 1.0), numpy.full(N // 2, 1.0)
    size = field.nbytes + grid.nbytes + output.nbytes
    arrays = Account()
    for _ in range(4):
        # Sums over every eighth word: one of each line, and no copy.
        arrays.use_for(0.5 * seconds / 4, 1, lambda: field[::8].sum())
        arrays.use_for(0.3 * seconds / 4, 1, lambda: grid[:, ::8].sum())
        arrays.use_for(0.2 * seconds / 4, 0, lambda: output[::8].fill(2.0))
    whose = f"object=arrays kind=heap at=numpy_arrays.py:{line} thread=0 tid={threading.get_native_id()} bytes={size}"
    # The interpreter runs between the loops, and has memory of its own.
    print("truth loops=mixed")
    print(f"truth {whose} time_share=1.000000 reads={arrays.reads / arrays.seconds:.6f}")
    print(f"truth touch {whose} share=1.000000")
    print(f"truth covered={arrays.seconds / time.process_time():.6f}")


main()
