# The program of known_mpi.c with mpi4py.
import sys
import time

import mpi4py

mpi4py.rc.initialize = False
from mpi4py import MPI

UNIT = 0.1
now = time.monotonic
MPI.Init()
begun = now()
world = MPI.COMM_WORLD
rank = world.Get_rank()
in_mpi = now() - begun
word = bytearray(4)


def in_call(call, other):
    global in_mpi
    before = now()
    call(word, other)
    in_mpi += now() - before


if rank == 0:
    time.sleep(UNIT)
    in_call(world.Send, 1)
    time.sleep(UNIT)
    in_call(world.Recv, 1)
else:
    in_call(world.Recv, 0)
    time.sleep(3 * UNIT)
    in_call(world.Send, 0)
elapsed = now() - begun
MPI.Finalize()
sys.stdout.write(f"{rank} {elapsed - in_mpi:.6f} {in_mpi:.6f} {elapsed:.6f}\n")
