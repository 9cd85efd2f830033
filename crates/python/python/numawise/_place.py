"""Plans of the machine as it is now."""

from typing import Any

from ._native import Machine, Placement
from ._native import machine as _machine


def plan(strategy: str | None = None, *, machine: Machine | None = None, **choice: Any) -> Placement:
    """Gives each thread its CPUs, as `numawise run` does; nothing is bound yet. Takes what `Machine.plan` takes.

    plan("distributed", threads=8).pin(k) binds the calling thread as the k-th of the team.
    """
    return (machine or _machine()).plan(strategy, **choice)
