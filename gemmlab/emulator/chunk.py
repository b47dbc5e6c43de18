"""The memory of one worker of a launch: registers, shared and local memory, shadows and tables, behind one state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gemmlab.emulator.code.code import Code, Region
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.events import EVENT_ROW, MOST_KEPT
from gemmlab.emulator.machine.fragments import FAR
from gemmlab.emulator.machine.memory.copies import QUEUE_ROW
from gemmlab.emulator.machine.orders import WORDS
from gemmlab.emulator.machine.printing import ARGUMENT_BYTES, HEADER
from gemmlab.emulator.machine.requests import COUNTER_ROW, GRANULE_OF_WORD, LOW_BITS, MASK, META_ROW, REGION, SECTORS
from gemmlab.emulator.machine.requests import WORDS as WORDS_OF_REQUEST
from gemmlab.emulator.machine.sync.objects import HEADER as OBJECT_HEADER
from gemmlab.emulator.machine.sync.objects import MOST_OBJECTS
from gemmlab.emulator.order import Order
from gemmlab.emulator.ptx.tensor_layouts import LaneValues
from gemmlab.kernel.warp import SECTOR_BYTES, WARP, WORD_BYTES

MOST_LOCAL_BYTES = 1 << 28
MOST_ORDERED_WARPS = 1 << 24
EVENT_CAPACITY = 512
POISON = 255  # of each byte that nobody wrote: NaN, in floats of every width
PRINT_CAPACITY = 256 * 1024
ASYNC_COPIES_A_THREAD = 128
LINE_BYTES = 128  # of the L1 cache
REVERSED = "reversed"  # a schedule: the last warp first
IN_STEP = "in step"  # a schedule: each warp of a block does one access to memory, then each the next
_ACCESSES = (o.LOAD, o.STORE, o.ATOMIC, o.ASYNC_COPY, o.ASYNC_WAIT, o.BULK_COPY)


@dataclass
class Memory:
    """Arrays in global memory: A, B, C, then the kernel's own global variables, described by `regions` in that order.

    `written` (bool, one an element) marks what of C holds a value before the launch; None: nothing of it.
    """

    arrays: list[np.ndarray]
    regions: list[Region]
    written: np.ndarray | None = None


@dataclass(frozen=True)
class Options:
    """How to run. `budget` counts warp instructions of one chunk, `seconds` is wall-clock time; `blocks` limits the run
    to some blocks.

    With `checks` off only results and the written elements of C are kept: no races, no definedness, no counters.
    With an `order` its blocks run first, as it says, and `watch` is told each moment of them. With `requests` the run
    says what the last request of each site to global memory touched.
    """

    checks: bool = True
    schedule: str = "forward"
    budget: int = 2_000_000_000
    seconds: float = 60.0
    threads: int | None = None
    blocks: Sequence[int] | None = None
    order: Order | None = None
    watch: Callable[[Any, Any], None] | None = None
    requests: bool = False


class Chunk:
    """One worker's machine. Keeps every array that the state points to alive."""

    def __init__(self, code: Code, memory: Memory, launch, parameters: list[int], options: Options) -> None:
        self.kept: list[np.ndarray] = []
        self.code, self.memory = code, memory
        self.state = np.zeros(s.FIELD_COUNT, np.int64)
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        self.warps = -(-threads // 32)
        self._launch_fields(launch, threads, options)
        self._code()
        self._registers(launch, parameters)
        self._local(threads)
        self._region_tables(self._shared(launch))
        self._shadows(options)
        if code.has_partial_barriers and options.checks:
            self.array("WARP_READS", 2 * self.warps * (self["SHARED_END"] - self["SHARED_FIRST"]))
        self._scratch(threads, options)
        self._orders(launch, options)
        if options.schedule == IN_STEP:
            self.stop_at_accesses()

    def stop_at_accesses(self) -> np.ndarray:
        """End a warp's turn before each access to memory. Returns the first access from each instruction on (FAR: none
        comes)."""
        rows, following = self.code.rows, FAR
        table = self.array("STOPS", len(rows) + 1, np.int32)
        table[-1] = FAR
        is_access = np.isin(rows[:, o.ROW_OP], _ACCESSES) & ~np.isin(rows[:, o.ROW_SPACE], (o.PARAM, o.LOCAL))
        for pc in range(len(rows) - 1, -1, -1):
            table[pc] = following = pc if is_access[pc] else following
        return table

    def __setitem__(self, name: str, value: int) -> None:
        self.state[s.FIELD[name]] = value

    def __getitem__(self, name: str) -> int:
        return int(self.state[s.FIELD[name]])

    def array(self, name: str, count: int, dtype=np.int64, fill=None) -> np.ndarray:
        """Allocate an array and put its address into the field."""
        array = np.zeros(max(int(count), 1), dtype)
        if fill is not None:
            array[: len(fill)] = fill
        self.kept.append(array)
        self[name] = array.ctypes.data
        return array

    def _launch_fields(self, launch, threads: int, options: Options) -> None:
        self["THREADS"], self["WARPS"] = threads, self.warps
        for name, value in zip(
            ("BLOCK_X", "BLOCK_Y", "BLOCK_Z", "GRID_X", "GRID_Y", "GRID_Z"), (*launch.block, *launch.grid)
        ):
            self[name] = value
        self["CHECKS"] = int(options.checks)
        self["BUDGET"] = options.budget
        self["NOW"] = 1
        self.array("WARP_ORDER", self.warps, np.int32, _order(self.warps, options.schedule))

    def _registers(self, launch, parameters: list[int]) -> None:
        code = self.code
        template = np.zeros(code.warp_bytes, np.uint8)
        template[: code.slot_offset] = POISON  # what no instruction sets is no zero by luck
        ok = template[code.slot_offset : code.slot_offset + code.slot_bytes].view(np.uint32)
        ok[0] = o.FULL

        def fill(offset: int, slot: int, size: int, value: int | LaneValues) -> None:
            mask = (1 << 8 * size) - 1
            lanes = np.array([v & mask for v in _for_each_lane(value)], np.uint64 if size == 8 else np.uint32)
            template[offset : offset + lanes.nbytes] = lanes.view(np.uint8)
            ok[(slot - code.slot_offset) // 4] = o.FULL

        for offset, slot, size, value in code.constants:
            fill(offset, slot, size, value)
        for (offset, slot, size), value in zip(code.parameter_rows, parameters):
            if offset >= 0:
                fill(offset, slot, size, value)
        self._special_rows(launch, fill)
        aligned = np.zeros(self.warps * code.warp_bytes + 256, np.uint8)
        start = -aligned.ctypes.data % 256
        registers = aligned[start : start + self.warps * code.warp_bytes].reshape(self.warps, code.warp_bytes)
        registers[:] = template
        for name, (offset, _slot) in code.special_rows.items():
            if name in ("%laneid", "%warpid") or name.startswith("%lanemask"):
                registers[:, offset : offset + 128] = _lane_values(name, self.warps)
        self.registers = registers
        self.kept += [aligned, template]
        self["WARP_BASE"], self["WARP_BYTES"], self["WARP_TEMPLATE"] = (
            registers.ctypes.data,
            code.warp_bytes,
            template.ctypes.data,
        )
        self["SLOT_OFFSET"], self["SLOT_BYTES"], self["ORIGIN_SHIFT"] = (
            code.slot_offset,
            code.slot_bytes,
            code.slot_bytes,
        )

    def _code(self) -> None:
        code = self.code
        self.kept.append(code.rows)
        self["CODE"], self["CODE_LENGTH"] = code.rows.ctypes.data, len(code.rows)
        self["VECTOR_TABLE"] = code.vectors.ctypes.data
        self["ENTRY_PC"] = code.entry_pc
        self["TENSOR_TABLE"] = code.tensor_table.ctypes.data

    def _special_rows(self, launch, fill) -> None:
        code = self.code
        static = sum(region.size for region in code.shared)
        values = {
            "%dynamic_smem_size": launch.smem,
            "%total_smem_size": static + launch.smem,
            "%nsmid": 1,
            "%nwarpid": self.warps,
        }
        for axis, block, grid in zip("xyz", launch.block, launch.grid):
            values[f"%ntid.{axis}"], values[f"%nctaid.{axis}"] = block, grid
        for name, (offset, slot) in code.special_rows.items():
            fill(offset, slot, 8 if name in ("%clock64", "%globaltimer") else 4, values.get(name, 0))
        names = ("%tid.x", "%tid.y", "%tid.z", "%ctaid.x", "%ctaid.y", "%ctaid.z")
        self.array("SPECIAL_ROWS", len(names), fill=[code.special_rows.get(name, (-1, -1))[0] for name in names])

    def _shared(self, launch) -> dict[int, tuple[int, int]]:
        """Allocate shared memory. Returns the offset and the size of each variable in it, by its region's number."""
        offset, places = 0, {}
        for number, region in enumerate(self.code.shared, o.FIRST_SHARED):
            size = launch.smem if region.dynamic else region.size
            places[number] = (offset, size)
            offset = -(-(offset + size) // 16) * 16
        self["SHARED_BYTES"] = -(-offset // 8) * 8
        self.array("SHARED_HOST", offset + 16, np.uint8)
        return places

    def _local(self, threads: int) -> None:
        size = self.code.local_bytes
        if threads * size > MOST_LOCAL_BYTES:
            raise MemoryError(f"{threads} threads with {size} bytes of local memory each")
        self["LOCAL_BYTES"] = size
        self.array("LOCAL_HOST", threads * size + 16, np.uint8)[:] = POISON
        self.array("LOCAL_DEFINED", threads * size + 16, np.uint8)

    def _region_tables(self, places: dict[int, tuple[int, int]]) -> None:
        """Where each variable begins, as PTX and as this process has it, and what it is."""
        tables = {name: np.zeros(o.REGIONS, np.int64) for name in ("REGION_BASE", "REGION_SIZE", "REGION_HOST")}
        tables["REGION_KIND"] = np.full(o.REGIONS, o.NO_REGION, np.int64)
        tables["REGION_SHADOW"] = np.full(o.REGIONS, -1, np.int64)

        def enter(number: int, kind: int, address: int, size: int, host: int) -> None:
            names = ("REGION_KIND", "REGION_BASE", "REGION_SIZE", "REGION_HOST")
            for name, value in zip(names, (kind, address, size, host)):
                tables[name][number] = value

        for number, (region, array) in enumerate(zip(self.memory.regions, self.memory.arrays)):
            enter(number, region.kind, region.address, region.size, array.ctypes.data)
        for number, (place, size) in places.items():
            region = self.code.shared[number - o.FIRST_SHARED]
            enter(number, region.kind, o.SHARED_WINDOW + region.address, size, self["SHARED_HOST"] + place)
            tables["REGION_SHADOW"][number] = place >> self._granule_shift()
        for number, region in enumerate(self.code.locals, o.FIRST_LOCAL):
            address = o.LOCAL_WINDOW + region.address
            enter(number, region.kind, address, region.size, region.offset - address)
        self.tables = tables
        self["REGION_COUNT"] = o.REGIONS
        self["FIRST_PEER"] = o.FIRST_SHARED

    def _granule_shift(self) -> int:
        return {1: 0, 2: 1}.get(self.code.granule, 2)

    def _shadows(self, options: Options) -> None:
        shift = self._granule_shift()
        self["GRANULE_SHIFT"] = shift
        shared = -(-self["SHARED_BYTES"] // (1 << shift)) + 1
        self["SHARED_GRANULES"] = self["SHARED_END"] = shared
        total, self.tracked = shared, {}
        for number, region in enumerate(self.memory.regions):
            if region.kind == o.TRACKED:
                self.tables["REGION_SHADOW"][number] = total
                granules = -(-region.size // (1 << shift))
                self.tracked[number] = (total, granules)
                total += granules
        for name, table in self.tables.items():
            self.array(name, len(table), fill=table)
        recorded = total if options.checks else 1
        self.write = self.array("SHADOW_WRITE", recorded)
        self.read1 = self.array("SHADOW_READ1", recorded)
        self.read2 = self.array("SHADOW_READ2", recorded)
        self.array("SHADOW_PLAIN", recorded)
        self.defined = self.array("SHADOW_DEFINED", total, np.uint8)
        self.array("SHADOW_TILE", recorded, np.int16)
        self.array("SHADOW_ORIGIN", recorded, np.int32)
        self.array("GLOBAL_WRITE_BLOCK", recorded - shared if options.checks else 1, np.int32)
        self.array("SHADOW_READ_ONLY", recorded - shared if options.checks else 1, np.uint8)
        for name in ("GLOBAL_PLAIN_BLOCK", "GLOBAL_READ1_BLOCK", "GLOBAL_READ2_BLOCK"):
            self.array(name, recorded - shared if options.checks else 1, np.int32)
        for number in range(3, 3 + len(self.code.globals)):
            if number in self.tracked:
                start, count = self.tracked[number]
                self.defined[start : start + count] = 1
        if self.memory.written is not None:
            start, count = self.tracked[2]
            self.defined[start : start + count] = np.repeat(self.memory.written.reshape(-1), 4 >> shift)

    def _scratch(self, threads: int, options: Options) -> None:
        code, warps = self.code, self.warps
        sites = code.site_count
        self.fragments = self.array("FRAGMENTS", warps * 32 * 4, np.int32).reshape(warps, 32, 4)
        self.fragment_counts = self.array("FRAGMENT_COUNT", warps, np.int32)
        for name in ("EXITED", "PRESENT", "TILE"):
            self.array(name, warps, np.int32)
        self.array("EXIT_PC", warps * 32, np.int32)
        self.array("STORE_INTERVAL", warps)
        self.array("BARRIER_ARRIVED", 16)
        self.array("BARRIER_MEMBERS", 16)
        self.array("BARRIER_CAME", 16)
        self.array("BARRIER_KNOWN", 16 * warps)
        self.array("WARP_START", warps)
        self.array("SEEN_LANES", warps * 1024)
        self.array("SEEN_WARPS", warps * warps)
        self.array("SITE_PC", sites, np.int32, code.site_pc)
        self.patterns = self.array("PATTERN_META", sites * META_ROW, fill=[-1] * (sites * META_ROW))
        self.shapes = self.aligned("PATTERN_ADDRESS", sites * 32)
        self.array("PATTERN_START", sites, np.int32, code.pattern_start)
        self.pattern_words = self.array("PATTERN_WORDS", code.pattern_words)
        self.counters = self.array("COUNTERS", len(code.rows) * COUNTER_ROW)
        self.aligned("ADDRESSES", 32)
        self["ASYNC_CAPACITY"] = ASYNC_COPIES_A_THREAD * threads if code.uses_async else 1
        self.array("ASYNC_QUEUE", self["ASYNC_CAPACITY"] * QUEUE_ROW)
        self.array("ASYNC_GROUP", warps * 32, np.int32)
        if code.uses_objects:
            self.array("OBJECTS", MOST_OBJECTS * (OBJECT_HEADER + 2 * 32 * warps + 2 * warps))
        self["EVENT_CAPACITY"] = EVENT_CAPACITY
        self.events = self.array(
            "EVENTS", (EVENT_CAPACITY + 1) * EVENT_ROW
        )  # one more for the event that is being made
        self.array("KEPT_EVENTS", MOST_KEPT, np.int32)
        self["PRINT_CAPACITY"] = PRINT_CAPACITY
        self.printed = self.array("PRINT_BUFFER", PRINT_CAPACITY, np.uint8)

    def _orders(self, launch, options: Options) -> None:
        """What fences and atomics order; nothing of it where the kernel has no fence."""
        blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
        if not (self.code.has_fences and options.checks) or blocks * self.warps > MOST_ORDERED_WARPS:
            return
        self["ORDERS"], self["BLOCK_STRIDE"] = 1, self.warps
        for name in ("FENCED", "FENCED_DEVICE"):
            self.array(name, self.warps * self.warps)
        self.array("PUBLISHED", WORDS * self.warps)
        self.array("BLOCK_PUBLISHED", blocks * self.warps)
        self.array("BLOCK_WORDS", blocks)
        self.array("MET_WORDS", self.warps)

    def aligned(self, name: str, count: int) -> np.ndarray:
        array = np.zeros(count + 32, np.int64)
        self.kept.append(array)
        start = -array.ctypes.data % 256 // array.itemsize
        self[name] = array[start:].ctypes.data
        return array[start : start + count]

    def event_rows(self) -> np.ndarray:
        return self.events.reshape(-1, EVENT_ROW)[: self["EVENT_COUNT"]]

    def cache_lines(self) -> np.ndarray:
        """The lines of 128 bytes that the last request of each site to global memory touched, 0 where there was none.

        Of where they begin only the place in a sector is known; the first is taken to begin a line.
        """
        if not self.code.site_count:
            return np.zeros(0, np.int64)
        metas, shapes = self.patterns.reshape(-1, META_ROW), self.shapes.reshape(-1, WARP)
        takes = (metas[:, MASK, None] >> np.arange(WARP)) & 1 == 1
        starts = shapes + metas[:, LOW_BITS, None]
        first = np.min(starts, axis=1, initial=np.iinfo(np.int64).max, where=takes, keepdims=True)
        first -= first % SECTOR_BYTES
        lines = np.sort(np.where(takes, (starts - first) // LINE_BYTES, 0), axis=1)
        return np.where(metas[:, SECTORS] > 0, 1 + np.count_nonzero(np.diff(lines, axis=1), axis=1), 0)

    def touched(self) -> np.ndarray:
        """Of the last request of each site to global memory, a row each: the number of the array, -1 where none is
        known, how many words it touched there, the most of them that lie in one of the 32 banks, and its lanes."""
        if not self.code.site_count:
            return np.zeros((0, 4), np.int64)
        metas = self.patterns.reshape(-1, META_ROW)
        array = np.where(metas[:, SECTORS] > 0, metas[:, REGION], -1)
        banks = np.zeros(len(array), np.int64)
        for site in np.flatnonzero(array >= 0):
            banks[site] = self._most_in_a_bank(self.code.pattern_start[site], metas[site, WORDS_OF_REQUEST])
        lanes = np.count_nonzero((metas[:, MASK, None] >> np.arange(WARP)) & 1, axis=1)
        return np.stack([array, metas[:, WORDS_OF_REQUEST], banks, lanes], axis=1)

    def _most_in_a_bank(self, start: int, count: int) -> int:
        places = self.pattern_words[start : start + count] >> GRANULE_OF_WORD << self["GRANULE_SHIFT"]
        words = np.unique(places // WORD_BYTES)
        return int(np.bincount(words % WARP).max(initial=0))

    def print_records(self) -> list[tuple[int, int, int, bytes]]:
        records = []
        for at in range(0, self["PRINT_USED"], 8 * HEADER + ARGUMENT_BYTES):
            block, thread, text, count = self.printed[at : at + 8 * HEADER].view(np.int64)
            start = at + 8 * HEADER
            records.append((int(block), int(thread), int(text), self.printed[start : start + count].tobytes()))
        return records


def _order(warps: int, schedule: str) -> np.ndarray:
    """The order in which a block's warps get their turns."""
    order = np.arange(warps, dtype=np.int32)
    if schedule == REVERSED:
        return order[::-1].copy()
    if schedule == "shuffled":
        return np.random.default_rng(warps).permutation(order).astype(np.int32)
    return order


def _for_each_lane(value: int | LaneValues) -> LaneValues:
    return value if isinstance(value, tuple) else (value,) * 32


def _lane_values(name: str, warps: int) -> np.ndarray:
    lane = np.arange(32, dtype=np.uint64)
    one = np.uint64(1)
    values = {
        "%laneid": lane,
        "%lanemask_eq": one << lane,
        "%lanemask_lt": (one << lane) - one,
        "%lanemask_le": (one << (lane + one)) - one,
    }
    values["%lanemask_gt"] = ~values["%lanemask_le"]
    values["%lanemask_ge"] = ~values["%lanemask_lt"]
    if name == "%warpid":
        return np.repeat(np.arange(warps, dtype=np.uint32), 32).reshape(warps, 32).view(np.uint8)
    return np.tile(values[name].astype(np.uint32).view(np.uint8), (warps, 1))
