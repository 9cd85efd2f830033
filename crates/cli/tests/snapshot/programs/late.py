# The messages of late.F90 with mpi4py.
import sys
import time

from mpi4py import MPI

late = float(sys.argv[1])
world = MPI.COMM_WORLD
rank = world.Get_rank()
word = bytearray(4)


def told(number, call):
    begun = time.monotonic()
    call()
    print(f"late {rank} {number} {begun:.9f} {time.monotonic():.9f}", flush=True)


world.Barrier()
for number in range(2):
    if rank == 0:
        time.sleep(late)
        told(number, lambda: world.Send(word, 1, number))
    elif rank == 1 and number == 0:
        told(number, lambda: world.Recv(word, 0, number))
    elif rank == 1:
        told(number, world.Irecv(word, 0, number).Wait)
world.Barrier()
