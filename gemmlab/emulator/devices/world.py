"""What the devices of one run have in common: the shadow of all their memory, one clock, and what was handed over.

Every launch of every rank is known before the first one runs: launches and blocks are counted through, rank by rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from gemmlab.emulator.chunk import Chunk, Options
from gemmlab.emulator.devices.memory import Key, RankArrays, View, memory_of
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.orders import WORDS
from gemmlab.emulator.machine.peers import tables as t
from gemmlab.emulator.machine.peers.polls import ASKS_ROW
from gemmlab.kernel.launch import Address, Launch
from gemmlab.kernel.warp import WARP

MOST_PUBLICATIONS = 1 << 13
_SHADOWS = {
    "SHADOW_WRITE": np.int64, "SHADOW_READ1": np.int64, "SHADOW_READ2": np.int64, "SHADOW_PLAIN": np.int64,
    "SHADOW_DEFINED": np.uint8, "SHADOW_TILE": np.int16, "SHADOW_ORIGIN": np.int32,
}  # fmt: skip
_OF_GLOBAL_MEMORY = {
    "GLOBAL_WRITE_BLOCK": np.int32, "GLOBAL_PLAIN_BLOCK": np.int32, "GLOBAL_READ1_BLOCK": np.int32,
    "GLOBAL_READ2_BLOCK": np.int32, "SHADOW_READ_ONLY": np.uint8,
}  # fmt: skip


@dataclass(frozen=True)
class Task:
    """One launch of one rank: its number in the world, that of its first block, and what it sees."""

    number: int
    rank: int
    launch: Launch
    view: View
    first_block: int
    reads_at_end: bool = False

    @property
    def blocks(self) -> int:
        return prod(self.launch.grid)

    @property
    def warps(self) -> int:
        return -(-prod(self.launch.block) // WARP)

    @property
    def shared_bytes(self) -> int:
        """Of shared memory, as Chunk lays it out."""
        total = 0
        for region in self.view.code.shared:
            total = -(-(total + (self.launch.smem if region.dynamic else region.size)) // 16) * 16
        return -(-total // 8) * 8


class World:
    """The shadows and tables of all devices. `clock` is the time of the last access of any of them."""

    def __init__(self, ranks: Sequence[RankArrays], tasks: Sequence[Task]) -> None:
        self.ranks, self.tasks = ranks, tasks
        self.clock = 1
        self.granule = min(tasks[0].view.code.granule, 4)
        self.own_shared = max(task.shared_bytes for task in tasks) // self.granule + 1
        self.starts = self._starts()
        self.arrays = {name: np.zeros(self.granules, kind) for name, kind in _SHADOWS.items()}
        in_global = self.granules - self.shared
        self.arrays |= {name: np.zeros(in_global, kind) for name, kind in _OF_GLOBAL_MEMORY.items()}
        for (_, name), (start, count) in self.starts.items():
            if name != "C":  # flags, variables and buffers hold what they held
                self.arrays["SHADOW_DEFINED"][start : start + count] = 1
        self._tables()

    def _starts(self) -> dict[Key, tuple[int, int]]:
        """Where the shadow of each array begins, and how many granules it has, behind the shared memory of all."""
        self.shared = self.own_shared * len(self.ranks)
        starts: dict[Key, tuple[int, int]] = {}
        total = self.shared
        for task in self.tasks:
            for key, size, kind in zip(task.view.keys, _sizes(task.view, self.ranks), _kinds(task.view), strict=True):
                if kind == o.TRACKED and key not in starts:
                    starts[key] = total, -(-size // self.granule)
                    total += starts[key][1]
        self.granules = total
        return starts

    def _tables(self) -> None:
        blocks = sum(task.blocks for task in self.tasks)
        stride = max(task.warps for task in self.tasks)
        words = MOST_PUBLICATIONS // 64
        launches = [task.number for task in self.tasks for _ in range(task.blocks)]
        tables = {
            t.ROWS: np.zeros(MOST_PUBLICATIONS * (t.COLUMNS + 2 * stride), np.int64),
            t.OF_WORD: np.zeros(self.granules, np.int32),
            t.OF_BLOCK: np.zeros(blocks, np.int32),
            t.INHERITED: np.zeros(MOST_PUBLICATIONS * (1 + words), np.int64),
            t.LAUNCH_OF_BLOCK: np.array(launches, np.int32),
            t.DEVICE_OF_LAUNCH: np.array([task.rank for task in self.tasks], np.int32),
            t.ASKED_BY: np.zeros(blocks, np.int32),
        }
        self.header = np.zeros(t.HEADER, np.int64)
        self.header[[t.MOST, t.STRIDE, t.SET_WORDS]] = MOST_PUBLICATIONS, stride, words
        for place, table in tables.items():
            self.header[place] = table.ctypes.data
        self.set_words, self.stride = 1 + words, stride
        self.published = np.zeros(blocks * stride, np.int64), np.zeros(blocks, np.int64)
        self.known = [np.zeros((2, self.set_words), np.int64) for _ in self.ranks]
        self._kept = tables

    @property
    def changes(self) -> int:
        """How often global memory was changed."""
        return int(self.header[t.CHANGES])

    def written(self, rank: int) -> np.ndarray:
        """Which elements of the rank's C hold a value (M×N, bool)."""
        start, count = self.starts[rank, "C"]
        known = self.arrays["SHADOW_DEFINED"][start : start + count] != 0
        return known.reshape(self.ranks[rank].C.size, -1).all(axis=1).reshape(self.ranks[rank].C.shape)

    def mark_written(self, rank: int, elements: np.ndarray) -> None:
        """These elements of the rank's C hold a value, others do not."""
        start, count = self.starts[rank, "C"]
        self.arrays["SHADOW_DEFINED"][start : start + count] = np.repeat(elements.reshape(-1), 4 // self.granule)

    def end_launch(self, rank: int) -> None:
        """The device knows what the blocks of its last launch knew."""
        known, gathered = self.known[rank]
        known |= gathered


def _sizes(view: View, ranks: Sequence[RankArrays]) -> list[int]:
    sizes = [ranks[owner][name].nbytes for owner, name in view.keys[:3]]
    return sizes + [region.size for region in view.code.globals]


def _kinds(view: View) -> list[int]:
    return [o.INPUT, o.INPUT, o.TRACKED, *(region.kind for region in view.code.globals)]


class DeviceChunk(Chunk):
    """A launch of one device as the interpreter has it, on the shadows of the world."""

    def __init__(self, world: World, task: Task, options: Options) -> None:
        self.world, self.task = world, task
        memory = memory_of(task.view, task.rank, list(world.ranks))
        own = {
            name: region.address for (_, name), region in zip(task.view.keys[: task.view.first_peer], memory.regions)
        }
        parameters = [
            own[one.array] + one.offset
            if isinstance(one, Address)
            else int.from_bytes(np.dtype(one.dtype).type(one.value).tobytes(), "little")
            for one in task.launch.arguments or ()
        ]
        super().__init__(task.view.code, memory, task.launch, parameters, options)
        self["WORLD"] = world.header.ctypes.data
        self["FIRST_BLOCK"], self["FIRST_PEER"] = task.first_block, task.view.first_peer

    def _use(self, name: str, array: np.ndarray) -> None:
        """An array of the world."""
        self[name] = array.ctypes.data

    def _shadows(self, options: Options) -> None:
        world, first = self.world, self.task.rank * self.world.own_shared
        self["GRANULE_SHIFT"] = self._granule_shift()
        self["SHARED_FIRST"], self["SHARED_END"] = first, first + world.own_shared
        self["SHARED_GRANULES"] = world.shared
        shared = slice(o.FIRST_SHARED, o.FIRST_SHARED + len(self.code.shared))
        self.tables["REGION_SHADOW"][shared] += first
        for number, key in enumerate(self.task.view.keys):
            if self.memory.regions[number].kind == o.TRACKED:
                self.tables["REGION_SHADOW"][number] = world.starts[key][0]
        for name, table in self.tables.items():
            self.array(name, len(table), fill=table)
        for name, array in world.arrays.items():
            self._use(name, array)

    def _orders(self, launch: Launch, options: Options) -> None:
        world, warps = self.world, self.warps
        self["ORDERS"], self["BLOCK_STRIDE"] = 1, world.stride
        for name in ("FENCED", "FENCED_DEVICE", "FENCED_SYSTEM"):
            self.array(name, warps * warps)
        self.array("PUBLISHED", WORDS * warps)
        self.array("MET_WORDS", warps)
        for name, array in zip(("BLOCK_PUBLISHED", "BLOCK_WORDS"), world.published):
            self._use(name, array)
        for name in ("SEEN", "KNOWN"):
            self.array(name, (warps + 1) * world.set_words)
        self._use("DEVICE_KNOWN", world.known[self.task.rank])
        self.array("ASKED_AT", self.code.site_count)
        self.asks = self.array("ASKS", ASKS_ROW * warps)

    def take_turn(self, run_blocks, blocks: np.ndarray, resumes: bool) -> int:
        """Run blocks until one gives way, or all are done. Returns how many were finished."""
        self["NOW"] = self["BLOCK_START"] = self.world.clock + 1
        self["RESUMES"], self["GIVES_WAY"] = int(resumes), 0
        finished = run_blocks(self.state.ctypes.data, blocks)
        self.world.clock = max(self.world.clock, self["NOW"])
        return finished

    @property
    def gave_way(self) -> bool:
        return self["GIVES_WAY"] != 0

    @property
    def stopped(self) -> bool:
        return int(self.state[s.FIELD["STOP"]]) != 0
