"""What each device has in its memory, and what of it the others reach.

A device sees its own arrays, tables of pointers, and behind those the arrays of its peers: an address of a peer's array
is valid only where it comes from a table, and counts as the peer's. Addresses are a device's own: two devices have
another address for the same word, and the same place for it in the shadow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gemmlab.emulator.arrays import DeviceArrays
from gemmlab.emulator.chunk import Memory
from gemmlab.emulator.code.code import Code, Region
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.runner import global_memory
from gemmlab.errors import UserError
from gemmlab.kernel.arguments import FLAGS, TABLES
from gemmlab.kernel.plan import Ranks

Key = tuple[int, str]  # an array: of which device, and its name
_MATRICES = ("A", "B", "C")


class RankArrays(DeviceArrays):
    """The arrays of one device: its parts of A and B, a whole C full of NaN, its flags, and what its launcher has."""

    def __init__(self, A: np.ndarray, B: np.ndarray, C_shape: tuple[int, int], buffers: Mapping[str, int]) -> None:
        super().__init__(A, B, buffers)
        self.C = np.full(C_shape, np.nan, np.float32)
        self.written = np.zeros(C_shape, bool)

    def __getitem__(self, name: str) -> np.ndarray:
        """A matrix, a buffer or the flags."""
        return getattr(self, name) if name in _MATRICES else self.buffers[name]


def arrays_of(work: Ranks, A: np.ndarray, B: np.ndarray, before: list[RankArrays] | None = None) -> list[RankArrays]:
    """Of each rank. Flags are 0, and kernels' variables as the module has them, or both as they were left `before`."""
    found = []
    for rank, plan in enumerate(work.plans):
        arrays = RankArrays(*work.devices.shares(A, B, rank), (A.shape[0], B.shape[1]), plan.buffers)
        arrays.buffers[FLAGS] = before[rank].buffers[FLAGS] if before else np.zeros(4 * work.flags, np.uint8)
        if before:
            arrays.variables, arrays.first = before[rank].variables, before[rank].first
        found.append(arrays)
    return found


@dataclass(frozen=True)
class View:
    """What one kernel of a device sees: the code with all these arrays in it, which array each is (in the order of the
    regions; a table has the name of its argument), and the number of the first that is a peer's."""

    code: Code
    keys: tuple[Key, ...]
    first_peer: int


def view_of(code: Code, rank: int, ranks: list[RankArrays]) -> View:
    """The view of a kernel on a device. UserError where there are too many arrays."""
    own = [*_MATRICES, *(region.name for region in code.globals), *ranks[rank].buffers, *TABLES]
    peers = [(other, name) for other in range(len(ranks)) if other != rank for name in TABLES.values()]
    keys = [(rank, name) for name in own] + peers
    if len(keys) > o.MAX_GLOBALS:
        raise UserError("the kernels and their launcher have too many arrays in global memory for the emulator")
    more = range(len(_MATRICES) + len(code.globals), len(keys))
    regions = [_region(number, keys[number], ranks) for number in more]
    return View(replace(code, globals=[*code.globals, *regions]), tuple(keys), len(own))


def _region(number: int, key: Key, ranks: list[RankArrays]) -> Region:
    owner, name = key
    size = 8 * len(ranks) if name in TABLES else ranks[owner][name].nbytes
    kind = o.INPUT if name in TABLES or name in ("A", "B") else o.TRACKED
    return Region(name, kind, size, (number + 1 << o.GLOBAL_SHIFT) + o.GLOBAL_CENTRE)


def memory_of(view: View, rank: int, ranks: list[RankArrays]) -> Memory:
    """The arrays as a launch of the kernel sees them."""
    own = ranks[rank]
    memory = global_memory(view.code, own.A, own.B, own.C)
    address = {key: region.address for key, region in zip(view.keys, memory.regions)}
    for number, (owner, name) in enumerate(view.keys):
        if name in TABLES:
            memory.arrays[number] = np.array([address[other, TABLES[name]] for other in range(len(ranks))], np.int64)
        elif name in own.buffers or name in _MATRICES:
            memory.arrays[number] = ranks[owner][name]
        elif memory.regions[number].kind == o.TRACKED:
            memory.arrays[number] = own.variable(name, memory.arrays[number])
    return memory
