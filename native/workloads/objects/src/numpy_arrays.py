#!/usr/bin/env python3
"""numpy_arrays: arrays of NumPy, each used alone for a known time. The output is that of the other programs (account.h)."""

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
    """One array: where it is allocated, and how long it was used."""

    every = []

    def __init__(self, name):
        self.name, self.line, self.seconds, self.reads, self.bytes = name, inspect.stack()[1].lineno, 0.0, 0.0, 0
        Account.every.append(self)

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
    field, of_field = numpy.full(N, 1.0), Account("field")
    grid, of_grid = numpy.full((2048, 2048), 1.0), Account("grid")
    output, of_output = numpy.full(N, 1.0), Account("output")
    for account, array in [(of_field, field), (of_grid, grid), (of_output, output)]:
        account.bytes = array.nbytes
    for _ in range(4):
        # Sums over every eighth word: one of each line, and no copy.
        of_field.use_for(0.5 * seconds / 4, 1, lambda: field[::8].sum())
        of_grid.use_for(0.3 * seconds / 4, 1, lambda: grid[:, ::8].sum())
        of_output.use_for(0.2 * seconds / 4, 0, lambda: output[::8].fill(2.0))
    used = sum(account.seconds for account in Account.every)
    tid = threading.get_native_id()
    print("truth loops=separable")
    for of in Account.every:
        whose = f"object={of.name} kind=heap at=numpy_arrays.py:{of.line} thread=0 tid={tid}"
        print(f"truth {whose} time_share={of.seconds / used:.6f} reads={of.reads / of.seconds:.6f}")
        print(f"truth touch {whose} share=1.000000")
    print(f"truth covered={used / time.process_time():.6f}")


main()
