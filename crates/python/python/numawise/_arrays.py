"""Memory on nodes, as buffers and as arrays of NumPy; and where the pages of arrays lie."""

import operator
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, Any, SupportsIndex

from ._native import Error, Machine, Memory, Pages, pages_of_buffer, pages_of_range
from ._native import machine as _machine

if TYPE_CHECKING:
    import numpy
    from numpy.typing import DTypeLike

_KINDS = {"dram": "kind:dram", "cxl": "kind:cxl", "gpu": "kind:gpu"}


def _policy(on: str | SupportsIndex | Sequence[int]) -> str:
    if isinstance(on, str):
        return _KINDS.get(on, on)
    if isinstance(on, SupportsIndex):
        return f"bind:{operator.index(on)}"
    return "bind:" + ",".join(str(int(node)) for node in on)


def _policies(on: Any, or_else: Any) -> list[str]:
    if or_else is None:
        return [_policy(on)]
    if isinstance(or_else, (list, tuple)) and any(isinstance(one, str) for one in or_else):
        return [_policy(on), *map(_policy, or_else)]
    return [_policy(on), _policy(or_else)]


def alloc(
    nbytes: int,
    *,
    on: str | SupportsIndex | Sequence[int] = "local",
    or_else: str | SupportsIndex | Sequence[int] | Sequence[str] | None = None,
    machine: Machine | None = None,
) -> Memory:
    """Zeroed memory on nodes, a writable buffer of bytes. Its pages come to their nodes when they are touched.

    `on`: a node or nodes by number, a kind of memory ("hbm", "dram", "cxl", "gpu"), or a policy as `numawise run --memory` takes it
    ("interleave", "weighted", "preferred:1", ...). `or_else`: what is taken where that is not there, or has no room: one, or several texts.
    Error with `status` "no_memory" where none has.
    """
    return Memory(machine or _machine(), nbytes, _policies(on, or_else))


def empty(
    shape: SupportsIndex | Sequence[int],
    dtype: "DTypeLike" = float,
    *,
    on: str | SupportsIndex | Sequence[int] = "local",
    or_else: str | SupportsIndex | Sequence[int] | Sequence[str] | None = None,
    order: str = "C",
    machine: Machine | None = None,
) -> "numpy.ndarray[Any, Any]":
    """An array of NumPy whose memory is on nodes; as `alloc`. Elements are zero until they are written."""
    try:
        import numpy
    except ImportError as error:
        raise ImportError("numawise.empty makes arrays of NumPy, which is not there; numawise.alloc gives a buffer without it") from error
    kind = numpy.dtype(dtype)
    if kind.hasobject:
        raise TypeError(f"dtype is {kind}; expected one whose elements are bytes: objects of Python lie elsewhere")
    dimensions = (operator.index(shape),) if isinstance(shape, SupportsIndex) else tuple(int(length) for length in shape)
    if any(length < 0 for length in dimensions):
        raise ValueError(f"shape is {dimensions}; expected lengths of 0 and more")
    nbytes = prod(dimensions) * kind.itemsize
    if nbytes == 0:
        return numpy.empty(dimensions, kind, order=order)  # type: ignore[call-overload,no-any-return]
    memory = alloc(nbytes, on=on, or_else=or_else, machine=machine)
    return numpy.ndarray(dimensions, kind, buffer=memory, order=order)  # type: ignore[arg-type]


def pages(of: Any, nbytes: int | None = None) -> Pages:
    """Where the pages of an array lie now, as the kernel says: bytes by node.

    `of`: what has a buffer (an array of NumPy, a memoryview, a bytearray, ...), a tensor of PyTorch in main memory, or an address with
    `nbytes`. Pages that it shares with others count as a whole.
    """
    if isinstance(of, int) or (nbytes is not None and isinstance(of, SupportsIndex)):
        if nbytes is None:
            raise TypeError("an address needs nbytes, how many bytes there are from it on")
        return pages_of_range(operator.index(of), nbytes)
    try:
        # What is a single value has a buffer without a shape.
        view = memoryview(of)
        return pages_of_buffer(view.cast("B") if view.ndim == 0 else of)
    except (TypeError, BufferError) as error:
        # Tensors have no buffer of their own; their arrays share the memory.
        if not (hasattr(of, "detach") and hasattr(of, "numpy")):
            raise TypeError(f"{type(of).__name__} has no buffer; hand over its array (to_numpy(), say), or an address and nbytes") from error
    try:
        array = of.detach().numpy()
    except (TypeError, RuntimeError) as error:
        raise Error(f"the memory of this {type(of).__name__} is not the process's own: {error}") from error
    return pages_of_buffer(array)
