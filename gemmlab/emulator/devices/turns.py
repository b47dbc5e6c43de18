"""The devices by turns: one runs as far as it can, until it is done or waits for another; then the next one does.
In the reversed schedule the last device does so, and a turn of the others is one block: if it goes on when a part has
arrived, it finds only that part.

A device runs its launches one after the other, and of a launch one block at a time, in the order of their numbers: the
smallest GPU there is. What waits for a block that cannot run on that may wait for ever on a larger one too, where other
blocks take all the room.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from gemmlab.emulator.chunk import REVERSED, Options
from gemmlab.emulator.devices.world import DeviceChunk, Task, World
from gemmlab.emulator.warm import compiled_interpreter
from gemmlab.kernel.plan import Copy, Fill

MOST_ROUNDS = 20  # in which every device only asks, and nothing changes, before they are taken to wait for ever

Step = Task | Fill | Copy


@dataclass
class Device:
    """One device with what is still to do."""

    rank: int
    steps: list[Step]
    chunk: DeviceChunk | None = None  # of the launch that runs
    next_block: int = 0
    done: list[DeviceChunk] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        return not self.steps and self.chunk is None


@dataclass
class WorldRun:
    """What is left of a run. `chunks` are those of all launches that have begun. `stuck` are the devices that wait for
    each other for ever; `stopped` says that not all came to their end, for whatever reason."""

    devices: list[Device]
    stuck: list[Device]
    stopped: bool
    seconds: float

    @property
    def chunks(self) -> list[DeviceChunk]:
        found = [chunk for device in self.devices for chunk in (*device.done, device.chunk) if chunk is not None]
        return sorted(found, key=lambda chunk: chunk.task.number)


def run_world(world: World, steps: Sequence[list[Step]], options: Options) -> WorldRun:
    """Do the steps of every rank, to their end or to a limit of `options`."""
    devices = [Device(rank, list(mine)) for rank, mine in enumerate(steps)]
    order = devices[::-1] if options.schedule == REVERSED else devices
    turns = _Turns(world, options)
    started = time.perf_counter()
    with turns.limited(options.seconds):
        stuck = turns.run(order)
    stopped = bool(stuck) or not all(device.has_ended for device in devices)
    return WorldRun(devices, sorted(stuck, key=lambda device: device.rank), stopped, time.perf_counter() - started)


class _Turns:
    def __init__(self, world: World, options: Options) -> None:
        self.world, self.options = world, options
        self._run_blocks: Callable[[int, np.ndarray], int] = compiled_interpreter()
        self._finished = 0  # blocks, of all devices
        self._late = threading.Event()
        self._running: DeviceChunk | None = None

    def limited(self, seconds: float) -> _Limit:
        return _Limit(self, seconds)

    def stop(self) -> None:
        self._late.set()
        if (chunk := self._running) is not None:
            chunk["STOP"] = 1

    def run(self, devices: Sequence[Device]) -> list[Device]:
        """Turn after turn. Returns the devices that wait for ever, where it comes to that."""
        idle, before = 0, (-1, 0)
        slow = 1 if self.options.schedule == REVERSED else None
        while waiting := [device for device in devices if not device.has_ended]:
            for device in waiting:
                if not self._turn(device, None if device is devices[0] else slow):
                    return []
            left = [device for device in devices if not device.has_ended]
            now = self.world.changes, self._finished
            idle, before = 0 if len(left) < len(waiting) or now != before else idle + 1, now
            if idle >= MOST_ROUNDS:
                return left
        return []

    def _turn(self, device: Device, most_blocks: int | None) -> bool:
        """All that the device can do now, or so many blocks of it. False where it was stopped."""
        while not device.has_ended:
            if device.chunk is None:
                self._begin(device)
                continue
            if not self._go_on(device, device.chunk, most_blocks):
                return False
            if device.chunk is not None:
                return True
        return True

    def _begin(self, device: Device) -> None:
        step = device.steps.pop(0)
        arrays = self.world.ranks[device.rank]
        if isinstance(step, Task):
            device.chunk, device.next_block = DeviceChunk(self.world, step, self.options), 0
            return
        arrays.written = self.world.written(device.rank)
        if isinstance(step, Fill):
            arrays.fill(step)
        else:
            arrays.copy(step)
        self.world.mark_written(device.rank, arrays.written)

    def _go_on(self, device: Device, chunk: DeviceChunk, most_blocks: int | None) -> bool:
        self._running = chunk
        if self._late.is_set():
            return False
        blocks = np.arange(device.next_block, chunk.task.blocks, dtype=np.int64)[:most_blocks]
        finished = chunk.take_turn(self._run_blocks, blocks, chunk.gave_way)
        device.next_block, self._finished = device.next_block + finished, self._finished + finished
        self._running = None
        if chunk.stopped:
            return False
        if not chunk.gave_way and device.next_block >= chunk.task.blocks:
            self.world.end_launch(device.rank)
            device.done.append(chunk)
            device.chunk = None
        return True


class _Limit:
    """While this goes on, a thread waits to stop what takes too long."""

    def __init__(self, turns: _Turns, seconds: float) -> None:
        self._turns, self._seconds, self._done = turns, seconds, threading.Event()

    def __enter__(self) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._done.set()

    def _watch(self) -> None:
        if not self._done.wait(self._seconds):
            self._turns.stop()
