"""Sets up the memory of a launch and runs it: the Python side of the interpreter.

A launch is cut into chunks of neighbouring blocks, each with its own registers, shared memory and shadows, run by
threads that share only A, B, C and the kernel's global variables. The chunks do not depend on the number of cores, so
results do not either.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np

from gemmlab.emulator import opcodes as o
from gemmlab.emulator import state as s
from gemmlab.emulator.decode import Code, Region
from gemmlab.emulator.events import COLUMNS, EVENT_ROW
from gemmlab.emulator.memory import QUEUE_ROW
from gemmlab.emulator.orders import WORDS
from gemmlab.emulator.printing import ARGUMENT_BYTES, HEADER
from gemmlab.emulator.requests import COUNTER_ROW, META_ROW
from gemmlab.emulator.tensor_layouts import LaneValues
from gemmlab.emulator.warm import compiled_interpreter

CHUNKS = 4
BLOCKS_A_CALL = 1 << 16
MOST_LOCAL_BYTES = 1 << 28
MOST_ORDERED_WARPS = 1 << 24
EVENT_CAPACITY = 512
PRINT_CAPACITY = 256 * 1024
ASYNC_COPIES_A_THREAD = 128


@dataclass
class Memory:
    """Arrays in global memory: A, B, C, then the kernel's own global variables, described by `regions` in that order.

    `written` (bool, one an element) marks what of C holds a value before the launch; None: nothing of it.
    """

    arrays: list[np.ndarray]
    regions: list[Region]
    written: np.ndarray | None = None


@dataclass
class Run:
    """What a launch left behind. `events` has one row a distinct fault (columns: events.COLUMNS), `counters` one an
    instruction."""

    events: np.ndarray
    counters: np.ndarray
    written: np.ndarray
    stopped: bool
    seconds: float
    printed: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    blocks_run: int = 0
    prints_lost: int = 0


def global_memory(code: Code, A: np.ndarray, B: np.ndarray, C: np.ndarray) -> Memory:
    """A, B and C (float32, C-contiguous), then fresh copies of the kernel's global variables."""
    regions = [
        Region(name, kind, array.nbytes, (number + 1 << o.GLOBAL_SHIFT) + o.GLOBAL_CENTRE)
        for number, (name, kind, array) in enumerate((("A", o.INPUT, A), ("B", o.INPUT, B), ("C", o.TRACKED, C)))
    ]
    arrays = [A, B, C]
    for region in code.globals:
        contents = np.zeros(max(region.size, 8), np.uint8)
        contents[: len(region.contents)] = np.frombuffer(region.contents, np.uint8)
        arrays.append(contents)
        regions.append(region)
    _relocate(code, arrays, regions)
    return Memory(arrays, regions)


def _relocate(code: Code, arrays: list[np.ndarray], regions: list[Region]) -> None:
    """Pointers in initialised variables: the address of the variable they name."""
    address = {region.name: region.address for region in regions}
    for array, region in zip(arrays[3:], code.globals):
        for offset, name in region.relocations:
            if name in address:
                array[offset : offset + 8] = np.frombuffer(np.int64(address[name]).tobytes(), np.uint8)


class _Chunk:
    """One worker's machine. Keeps every array that the state points to alive."""

    def __init__(self, code: Code, memory: Memory, launch, parameters: list[int], options: Options) -> None:
        self.kept: list[np.ndarray] = []
        self.code, self.memory = code, memory
        self.state = np.zeros(s.FIELD_COUNT, np.int64)
        threads = launch.block[0] * launch.block[1] * launch.block[2]
        self.warps = -(-threads // 32)
        self._launch_fields(launch, threads, options)
        self._registers(launch, parameters)
        self._shared_and_local(launch, threads)
        self._shadows(options)
        self._scratch(threads, options)
        self._orders(launch, options)

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
        ok = template[code.slot_offset : code.slot_offset + code.slot_bytes].view(np.uint32)
        ok[0] = o.FULL

        def fill(offset: int, slot: int, size: int, value: int | LaneValues) -> None:
            mask = (1 << 8 * size) - 1
            lanes = np.array([v & mask for v in _for_each_lane(value)], np.uint64 if size == 8 else np.uint32)
            template[offset : offset + 32 * size] = lanes.view(np.uint8)
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
        self.array("SPECIAL_ROWS", 8, fill=[*(code.special_rows.get(name, (-1, -1))[0] for name in names), -1, -1])

    def _shared_and_local(self, launch, threads: int) -> None:
        code = self.code
        self.regions: dict[int, Region] = {number: region for number, region in enumerate(self.memory.regions)}
        offset, places = 0, {}
        for number, region in enumerate(code.shared):
            size = launch.smem if region.dynamic else region.size
            places[o.FIRST_SHARED + number] = (offset, size)
            offset = -(-(offset + size) // 16) * 16
        self["SHARED_BYTES"] = -(-offset // 8) * 8
        shared = self.array("SHARED_HOST", offset + 16, np.uint8)
        if threads * code.local_bytes > MOST_LOCAL_BYTES:
            raise MemoryError(f"{threads} threads with {code.local_bytes} bytes of local memory each")
        self["LOCAL_BYTES"] = code.local_bytes
        self.array("LOCAL_HOST", threads * code.local_bytes + 16, np.uint8)
        self.array("LOCAL_DEFINED", threads * code.local_bytes + 16, np.uint8)
        base, size, host = (np.zeros(o.REGIONS, np.int64) for _ in range(3))
        kind, shadow = np.full(o.REGIONS, o.NO_REGION, np.int64), np.full(o.REGIONS, -1, np.int64)
        for number, (region, array) in enumerate(zip(self.memory.regions, self.memory.arrays)):
            base[number], size[number], host[number], kind[number] = (
                region.address,
                region.size,
                array.ctypes.data,
                region.kind,
            )
        for number, (place, bytes_) in places.items():
            region = code.shared[number - o.FIRST_SHARED]
            base[number], size[number] = o.SHARED_WINDOW + region.address, bytes_
            host[number], kind[number], shadow[number] = (
                shared.ctypes.data + place,
                region.kind,
                place >> self._granule_shift(),
            )
        for number, region in enumerate(code.locals, o.FIRST_LOCAL):
            base[number], size[number], kind[number] = o.LOCAL_WINDOW + region.address, region.size, region.kind
            host[number] = region.offset - (o.LOCAL_WINDOW + region.address)
        self.tables = {
            "REGION_BASE": base,
            "REGION_SIZE": size,
            "REGION_HOST": host,
            "REGION_KIND": kind,
            "REGION_SHADOW": shadow,
        }
        self["REGION_COUNT"] = o.REGIONS

    def _granule_shift(self) -> int:
        return {1: 0, 2: 1}.get(self.code.granule, 2)

    def _shadows(self, options: Options) -> None:
        shift = self._granule_shift()
        self["GRANULE_SHIFT"] = shift
        shared = -(-self["SHARED_BYTES"] // (1 << shift)) + 1
        self["SHARED_GRANULES"] = shared
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
        for name in ("GLOBAL_PLAIN_BLOCK", "GLOBAL_READ1_BLOCK", "GLOBAL_READ2_BLOCK"):
            self.array(name, recorded - shared if options.checks else 1, np.int32)
        for number, region in enumerate(self.code.globals, 3):
            if number in self.tracked:
                start, count = self.tracked[number]
                self.defined[start : start + count] = 1
        if self.memory.written is not None:
            start, count = self.tracked[2]
            self.defined[start : start + count] = np.repeat(self.memory.written.reshape(-1), 4 >> shift)

    def _scratch(self, threads: int, options: Options) -> None:
        code, warps = self.code, self.warps
        sites = code.site_count
        self.array("FRAGMENTS", warps * 32 * 4, np.int32)
        for name in ("FRAGMENT_COUNT", "EXITED", "PRESENT", "TILE"):
            self.array(name, warps, np.int32)
        self.array("EXIT_PC", warps * 32, np.int32)
        self.array("STORE_INTERVAL", warps)
        self.array("BARRIER_ARRIVED", 16)
        self.array("BARRIER_MEMBERS", 16)
        self.array("WARP_START", warps)
        self.array("SEEN_LANES", warps * 1024)
        self.array("SEEN_WARPS", warps * warps)
        self.array("SITE_PC", sites, np.int32, code.site_pc)
        self.patterns = self.array("PATTERN_META", sites * META_ROW, fill=[-1] * (sites * META_ROW))
        self.shapes = self.aligned("PATTERN_ADDRESS", sites * 32)
        self.array("PATTERN_START", sites, np.int32, code.pattern_start)
        self.array("PATTERN_WORDS", code.pattern_words)
        self.counters = self.array("COUNTERS", len(code.rows) * COUNTER_ROW)
        self.aligned("ADDRESSES", 32)
        self["ASYNC_CAPACITY"] = ASYNC_COPIES_A_THREAD * threads if code.uses_async else 1
        self.array("ASYNC_QUEUE", self["ASYNC_CAPACITY"] * QUEUE_ROW)
        self.array("ASYNC_GROUP", warps * 32, np.int32)
        self["EVENT_CAPACITY"] = EVENT_CAPACITY
        self.events = self.array("EVENTS", EVENT_CAPACITY * EVENT_ROW)
        self["PRINT_CAPACITY"] = PRINT_CAPACITY
        self.printed = self.array("PRINT_BUFFER", PRINT_CAPACITY, np.uint8)

    def _orders(self, launch, options: Options) -> None:
        """What fences and atomics order; nothing of it where the kernel has no fence."""
        blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
        if not (self.code.has_fences and options.checks) or blocks * self.warps > MOST_ORDERED_WARPS:
            return
        self["ORDERS"] = 1
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
    if schedule == "reversed":
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


@dataclass(frozen=True)
class Options:
    """How to run. `budget` counts warp instructions of one chunk, `seconds` is wall-clock time; `blocks` limits the run
    to some blocks.

    With `checks` off only results and the written elements of C are kept: no races, no definedness, no counters.
    """

    checks: bool = True
    schedule: str = "forward"
    budget: int = 2_000_000_000
    seconds: float = 60.0
    threads: int | None = None
    blocks: Sequence[int] | None = None


def run(code: Code, memory: Memory, launch, parameters: list[int], options: Options) -> Run:
    """Run a launch to its end, or until a limit of `options`. C and the other arrays of `memory` change in place.

    Where blocks of different chunks meet in one word of global memory, the launch is run again as a single chunk: then
    one shadow sees all of them, in an order that is the same each time.
    """
    before = [
        array.copy() if region.kind == o.TRACKED else array for array, region in zip(memory.arrays, memory.regions)
    ]
    result, meet = _run_in_chunks(code, memory, launch, parameters, options, 1 if code.orders_blocks else CHUNKS)
    if meet:
        for array, old in zip(memory.arrays, before):
            if array is not old:
                array[...] = old
        result, _ = _run_in_chunks(code, memory, launch, parameters, options, 1)
    return result


def _run_in_chunks(
    code: Code, memory: Memory, launch, parameters: list[int], options: Options, count: int
) -> tuple[Run, bool]:
    """The run, and whether blocks of two chunks touched one word of global memory, one of them writing."""
    run_blocks = compiled_interpreter()
    started = time.perf_counter()
    blocks = options.blocks
    if blocks is None:
        blocks = range(launch.grid[0] * launch.grid[1] * launch.grid[2])
    parts = _split(blocks, count)
    chunks = [_Chunk(code, memory, launch, parameters, options) for _ in parts]
    finished = [0] * len(parts)

    def work(number: int) -> None:
        part, state = parts[number], chunks[number].state
        for start in range(0, len(part), BLOCKS_A_CALL):
            some = np.array(part[start : start + BLOCKS_A_CALL], np.int64)
            finished[number] += run_blocks(state.ctypes.data, some)
            if state[s.FIELD["STOP"]]:
                return

    late = _run_threads(work, chunks, options, started)
    return _collect(chunks, finished, late, len(blocks), time.perf_counter() - started), _meet(chunks)


@dataclass(frozen=True)
class Request:
    """The first request that an instruction makes of global memory: where in which region each lane of warp 0 reads or
    writes, in bytes from the region's start, None where the lane takes no part; `size` bytes a lane."""

    pc: int
    region: int
    offsets: tuple[int | None, ...]
    size: int


def first_requests(code: Code, memory: Memory, launch, parameters: list[int]) -> list[Request]:
    """One request for each instruction with which warp 0 of the first block loads from or stores to global memory.

    A first run, in which every region is empty, tells where lane 0 goes: it is reported as out of bounds. A second one
    tells how the other lanes lie to it, which is the same each time in a kernel like ours, or else as it was last.
    """
    empty = Memory(memory.arrays, [replace(region, size=0) for region in memory.regions])
    events = [dict(zip(COLUMNS, map(int, row))) for row in _first_block(code, empty, launch, parameters).event_rows()]
    starts = {event["PC"]: event for event in events if 0 <= event["REGION"] < o.FIRST_SHARED}
    chunk = _first_block(code, memory, launch, parameters)
    masks, shapes = chunk.patterns.reshape(-1, META_ROW)[:, 0], chunk.shapes.reshape(-1, 32)
    return [
        Request(pc, starts[pc]["REGION"], _offsets(starts[pc]["OFFSET"], int(mask), shape), starts[pc]["SIZE"])
        for pc, mask, shape in sorted(zip(code.site_pc, masks, shapes), key=lambda site: site[0])
        if mask > 0 and pc in starts and starts[pc]["THREAD"] == 0
    ]


def _offsets(start: int, mask: int, shape: np.ndarray) -> tuple[int | None, ...]:
    return tuple(start + int(shape[lane]) if mask >> lane & 1 else None for lane in range(32))


def _first_block(code: Code, memory: Memory, launch, parameters: list[int]) -> _Chunk:
    chunk = _Chunk(code, memory, launch, parameters, Options())
    compiled_interpreter()(chunk.state.ctypes.data, np.zeros(1, np.int64))
    return chunk


def _split(blocks: Sequence[int], parts: int) -> list[Sequence[int]]:
    """Cut into as many runs of neighbours of nearly one length, none of them empty."""
    size, more = divmod(len(blocks), parts)
    starts = [n * size + min(n, more) for n in range(parts + 1)]
    return [blocks[a:b] for a, b in zip(starts, starts[1:]) if b > a]


def _run_threads(work, chunks: list[_Chunk], options: Options, started: float) -> bool:
    """Run every chunk on a pool of threads; past the time limit tell them to stop. True if that happened."""
    late = threading.Event()

    def watch() -> None:
        if not done.wait(options.seconds - (time.perf_counter() - started)):
            late.set()
            for chunk in chunks:
                chunk["STOP"] = 1

    done = threading.Event()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        with ThreadPoolExecutor(options.threads or os.cpu_count() or 1) as pool:
            list(pool.map(work, range(len(chunks))))
    finally:
        done.set()
        for chunk in chunks:
            chunk["STOP"] = 1
    return late.is_set()


def _collect(chunks: list[_Chunk], finished: list[int], late: bool, total: int, seconds: float) -> Run:
    events = merge_events([chunk.event_rows() for chunk in chunks])
    counters = sum(chunk.counters for chunk in chunks).reshape(-1, COUNTER_ROW)
    start, count = chunks[0].tracked[2]
    written = np.zeros(count, bool)
    for chunk in chunks:
        written |= chunk.defined[start : start + count] != 0
    printed = list(itertools.chain.from_iterable(chunk.print_records() for chunk in chunks))
    stopped = late or sum(finished) < total
    lost = sum(chunk["PRINT_LOST"] for chunk in chunks)
    return Run(events, counters, written, stopped, seconds, printed, sum(finished), lost)


def merge_events(tables: list[np.ndarray]) -> np.ndarray:
    """One row for each distinct (kind, place, other place, array), counts added, in the order first seen."""
    merged: dict[tuple, np.ndarray] = {}
    count = COLUMNS.index("COUNT")
    for row in itertools.chain.from_iterable(tables):
        key = tuple(row[:4])
        if key in merged:
            merged[key][count] += row[count]
        else:
            merged[key] = row.copy()
    return np.array(list(merged.values()), np.int64).reshape(-1, EVENT_ROW)


def _meet(chunks: list[_Chunk]) -> bool:
    """Whether two chunks touched one word of global memory, at least one of them writing."""
    if not chunks or len(chunks[0].write) <= 1:
        return False
    for start, count in chunks[0].tracked.values():
        part = slice(start, start + count)
        for first, second in itertools.combinations(chunks, 2):
            wrote, other_wrote = first.write[part] != 0, second.write[part] != 0
            if (wrote & (other_wrote | (second.read1[part] != 0))).any() or (
                (first.read1[part] != 0) & other_wrote
            ).any():
                return True
    return False
