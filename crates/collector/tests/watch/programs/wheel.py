"""Two ranks of mpi4py, which calls MPI's large counts where the MPI has them."""

import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank()
found = [world.allreduce(rank + 1), world.bcast({"of": "rank 0"} if rank == 0 else None, 0)]
if rank == 0:
    world.send([1, 2, 3], 1)
elif rank == 1:
    found.append(world.recv(source=0))
inward = array("d", [0.0, 0.0])
world.Allreduce(array("d", [1.0, 2.0]), inward)
found.append(list(inward))
if world.size > 1:
    # 8,000 bytes each way, of basic types.
    other, outward, inward = 1 - rank, array("d", [1.0]) * 1000, array("d", [0.0]) * 1000
    world.Sendrecv(outward, other, 0, inward, other, 0)
    found.append(sum(inward))
# In one piece: the other rank prints too.
sys.stdout.write(f"{rank} {found} {MPI.Get_version()}\n")
