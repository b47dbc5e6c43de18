"""Runs a launch: the Python side of the interpreter.

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

from gemmlab.emulator.chunk import IN_STEP, Chunk, Memory, Options
from gemmlab.emulator.code.code import Code, Region
from gemmlab.emulator.director import run_in_order
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine import state as s
from gemmlab.emulator.machine.events import COLUMNS, EVENT_ROW
from gemmlab.emulator.machine.requests import COUNTER_ROW
from gemmlab.emulator.order import Order
from gemmlab.emulator.warm import compiled_interpreter

CHUNKS = 4
BLOCKS_A_CALL = 1 << 16


@dataclass
class Run:
    """What a launch left behind. `events` has one row a distinct fault (columns: events.COLUMNS), `counters` one an
    instruction. Where the options ask for `requests`, `cache_lines` are those that the last request of each memory
    instruction touched, 0 where there was none, and `touched` has the numbers of the arrays, of their words, and of
    those in one bank; both are of `code.site_pc`."""

    events: np.ndarray
    counters: np.ndarray
    written: np.ndarray
    stopped: bool
    seconds: float
    printed: list[tuple[int, int, int, bytes]] = field(default_factory=list)
    prints_lost: int = 0
    cache_lines: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    touched: np.ndarray = field(default_factory=lambda: np.zeros((0, 3), np.int64))


def global_memory(code: Code, A: np.ndarray, B: np.ndarray, C: np.ndarray) -> Memory:
    """A, B and C (float32; A and B of any type; C-contiguous), then fresh copies of the kernel's global variables."""
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


def run(code: Code, memory: Memory, launch, parameters: list[int], options: Options) -> Run:
    """Run a launch to its end, or until a limit of `options`. C and the other arrays of `memory` change in place.

    Where blocks of different chunks meet in one word of global memory, the launch is run again as a single chunk: then
    one shadow sees all of them, in an order that is the same each time.
    """
    if options.order is not None:
        return _run_in_order(code, memory, launch, parameters, options, options.order)
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


def _run_in_order(code: Code, memory: Memory, launch, parameters: list[int], options: Options, order: Order) -> Run:
    """The run in which an order says who is first; all blocks that it does not name run after those."""
    started, late = time.perf_counter(), threading.Event()
    blocks = options.blocks
    if blocks is None:
        blocks = range(launch.grid[0] * launch.grid[1] * launch.grid[2])
    others = np.array([block for block in blocks if block not in order.blocks], np.int64)
    chunks = [Chunk(code, memory, launch, parameters, options) for _ in order.blocks]
    finished = [sum(run_in_order(chunks, order, options.seconds, options.watch))]
    if finished[0] == len(order.blocks):
        rest = Chunk(code, memory, launch, parameters, replace(options, schedule=IN_STEP))

        def work(number: int) -> None:
            finished.append(compiled_interpreter()(rest.state.ctypes.data, others))

        _run_threads(work, [rest], late, options, started)
        chunks.append(rest)
    return _collect(chunks, finished, late.is_set(), len(blocks), time.perf_counter() - started, options.requests)


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
    first = Chunk(code, memory, launch, parameters, options)  # where memory is short, it is for the first
    chunks: list[Chunk | None] = [first, *[None] * (len(parts) - 1)]
    finished = [0] * len(parts)
    late = threading.Event()

    def work(number: int) -> None:
        """Making a chunk takes a while, so each thread makes its own."""
        chunk = chunks[number] or Chunk(code, memory, launch, parameters, options)
        chunks[number] = chunk
        if late.is_set():
            return
        part, state = parts[number], chunk.state
        for start in range(0, len(part), BLOCKS_A_CALL):
            some = np.array(part[start : start + BLOCKS_A_CALL], np.int64)
            finished[number] += run_blocks(state.ctypes.data, some)
            if state[s.FIELD["STOP"]]:
                return

    _run_threads(work, chunks, late, options, started)
    seconds = time.perf_counter() - started
    made = [chunk for chunk in chunks if chunk is not None]
    return _collect(made, finished, late.is_set(), len(blocks), seconds, options.requests), _meet(made)


def _split(blocks: Sequence[int], parts: int) -> list[Sequence[int]]:
    """Cut into as many runs of neighbours of nearly one length, none of them empty."""
    size, more = divmod(len(blocks), parts)
    starts = [n * size + min(n, more) for n in range(parts + 1)]
    return [blocks[a:b] for a, b in zip(starts, starts[1:]) if b > a]


def _run_threads(work, chunks: Sequence[Chunk | None], late: threading.Event, options: Options, started: float) -> None:
    """Run every chunk on a pool of threads; past the time limit set `late` and tell them to stop."""

    def stop() -> None:
        for chunk in filter(None, chunks):
            chunk["STOP"] = 1

    def watch() -> None:
        if not done.wait(options.seconds - (time.perf_counter() - started)):
            late.set()
            stop()

    done = threading.Event()
    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        with ThreadPoolExecutor(options.threads or os.cpu_count() or 1) as pool:
            list(pool.map(work, range(len(chunks))))
    finally:
        done.set()
        stop()


def _collect(chunks: list[Chunk], finished: list[int], late: bool, total: int, seconds: float, requests: bool) -> Run:
    events = merge_events([chunk.event_rows() for chunk in chunks])
    counters = sum(chunk.counters for chunk in chunks).reshape(-1, COUNTER_ROW)
    start, count = chunks[0].tracked[2]
    written = np.zeros(count, bool)
    for chunk in chunks:
        written |= chunk.defined[start : start + count] != 0
    printed = list(itertools.chain.from_iterable(chunk.print_records() for chunk in chunks))
    stopped = late or sum(finished) < total
    lost = sum(chunk["PRINT_LOST"] for chunk in chunks)
    run = Run(events, counters, written, stopped, seconds, printed, lost)
    if requests:
        run.cache_lines = np.max([chunk.cache_lines() for chunk in chunks], axis=0)
        run.touched = np.max([chunk.touched() for chunk in chunks], axis=0)
    return run


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


def _meet(chunks: list[Chunk]) -> bool:
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
