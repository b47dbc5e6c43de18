"""The ranks of one product, in the worker's process: each on a GPU of its own, or in turns on those that there are.

One process has all of them, and not one process a GPU. A pointer then means the same on every device whose peers are
opened to it, so that a table of pointers is all that a kernel needs and no handle travels between processes; all ranks
start from one place; and a kernel that waits for ever ends with this one process. Where ranks share a GPU, each has a
stream, a module and arrays of its own there.

Everything is loaded and allocated before the first launch: a module that is loaded, or memory that is allocated, while
a kernel waits for another rank may wait for that kernel.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gemmlab.gpu.child.context import Gpu

_NUM_REGS = 4  # an attribute of a function; to ask for one loads it
_NAN = 0xFF  # four of these bytes are a NaN
_ALREADY_OPEN = 704
_PAUSE = 0.005  # seconds, many times what the products of a check take

Action = Callable[[], None]


@dataclass
class Rank:
    """One rank: the number of its device, its stream, where each of its arrays begins, and what it allocated."""

    device: int
    stream: Any
    places: dict[str, int] = field(default_factory=dict)
    own: list[int] = field(default_factory=list)
    module: Any = None
    actions: list[Action] = field(default_factory=list)


class Ranks:
    """Makes ranks on the GPUs that the process sees, hands them their tables, and runs them side by side."""

    def __init__(self, gpu: Gpu) -> None:
        self._cuda, self._runtime = gpu.cuda, gpu.runtime
        self._modules: list[Any] = []

    def launch(self, request: dict) -> Iterator[dict]:
        """Do the work of all ranks once on the images of their arrays: of rank 0 these are A_0, B_0, C_0 and flags_0,
        and next_0 is what whoever comes next in its stream reads of C_0.

        With `again` it is done in the modules of the launch before, and the last rank starts first.
        """
        images = {name: np.load(f"{name}.npy", mmap_mode="r+") for name in request["arrays"]}
        ranks = self.make(len(request["ranks"]), request["devices"])
        guard = request["guard_bytes"]
        for number, rank in enumerate(ranks):
            mine = {name.rpartition("_")[0]: image for name, image in images.items() if name.endswith(f"_{number}")}
            rank.places = {name: self._upload(rank, image) + guard for name, image in mine.items()}
        self.tables(ranks)
        if not request.get("again"):
            self._modules = [self.load(rank, "kernel.cubin") for rank in ranks]
        for number, (rank, steps) in enumerate(zip(ranks, request["ranks"], strict=True)):
            rank.module = self._modules[number]
            self.bind(rank, steps, request["buffers"][number])
            size = images[f"C_{number}"].nbytes
            rank.actions.append(self._copy(rank, rank.places["next"] - guard, rank.places["C"] - guard, size))
        self.warm(ranks)
        yield {"event": "launching"}
        yield {"event": "launched", "seconds": self._run(ranks[::-1] if request.get("again") else ranks)}
        for number, rank in enumerate(ranks):
            for name in [name for name in rank.places if f"{name}_{number}" in images]:
                image = images[f"{name}_{number}"]
                source, kind = rank.places[name] - guard, self._runtime.memcpyDeviceToHost
                self._runtime.memcpy(image.ctypes.data, source, image.nbytes, kind)
        self.free(ranks)
        yield {"event": "done"}

    # ---- ranks and their memory

    def make(self, count: int, devices: int | None = None) -> list[Rank]:
        """Ranks on at most so many GPUs, opened to each other. RuntimeError where two cannot see each other."""
        there = self._runtime.getDeviceCount()
        used = min(there if devices is None else devices, there, count)
        for one in range(used):
            for other in range(used):
                if one != other:
                    self._open(one, other)
        return [self._rank(number % used) for number in range(count)]

    def _rank(self, device: int) -> Rank:
        with self._cuda.Device(device):
            return Rank(device, self._cuda.Stream(non_blocking=True))

    def _open(self, one: int, other: int) -> None:
        if not self._runtime.deviceCanAccessPeer(one, other):
            raise RuntimeError(f"GPU {one} cannot reach the memory of GPU {other}; give --devices 1")
        with self._cuda.Device(one):
            try:
                self._runtime.deviceEnablePeerAccess(other)
            except self._runtime.CUDARuntimeError as error:
                if error.status != _ALREADY_OPEN:
                    raise

    def allocate(self, rank: Rank, size: int) -> int:
        """Memory of that rank, full of NaN."""
        with self._cuda.Device(rank.device):
            rank.own.append(self._runtime.malloc(size))
            self._runtime.memset(rank.own[-1], _NAN, size)
        return rank.own[-1]

    def _upload(self, rank: Rank, image: np.ndarray) -> int:
        to = self.allocate(rank, image.nbytes)
        self._runtime.memcpy(to, image.ctypes.data, image.nbytes, self._runtime.memcpyHostToDevice)
        return to

    def tables(self, ranks: list[Rank]) -> None:
        """Give each rank `A_of`, `B_of`, `C_of` and `flags_of`: where that array of every rank begins."""
        for rank in ranks:
            for name in ("A", "B", "C", "flags"):
                rank.places[f"{name}_of"] = self._upload(rank, np.array([one.places[name] for one in ranks], np.uint64))

    def free(self, ranks: list[Rank]) -> None:
        for rank in ranks:
            while rank.own:
                self._runtime.free(rank.own.pop())

    # ---- code and work

    def load(self, rank: Rank, name: str) -> Any:
        """The code in that file as a module of this rank alone."""
        with open(name, "rb") as file, self._cuda.Device(rank.device):
            module = self._cuda.function.Module()
            module.load(file.read())
            return module

    def bind(self, rank: Rank, steps: list[dict], buffers: dict[str, int]) -> None:
        """What the rank is to do, with its arguments; nothing of it is loaded or allocated later."""
        places = rank.places | {name: self.allocate(rank, size) for name, size in buffers.items()}
        rank.actions = [getattr(self, f"_bind_{step['do']}")(rank, step, places) for step in steps]

    def _bind_launch(self, rank: Rank, step: dict, places: dict[str, int]) -> Action:
        driver = self._cuda.driver
        with self._cuda.Device(rank.device):
            function = rank.module.get_function(step["kernel"])
            driver.funcGetAttribute(_NUM_REGS, function.ptr)
            if step["smem_opt_in"]:
                most = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
                driver.funcSetAttribute(function.ptr, most, step["smem"])
        grid, block, smem = tuple(step["grid"]), tuple(step["block"]), step["smem"]
        arguments = tuple(
            places[name] + value if name in places else np.dtype(value).type(name) for name, value in step["arguments"]
        )
        return lambda: function(grid, block, arguments, smem, rank.stream)

    def _bind_fill(self, rank: Rank, step: dict, places: dict[str, int]) -> Action:
        name, offset = step["to"]
        fill = self._runtime.memsetAsync
        return lambda: fill(places[name] + offset, step["byte"], step["size"], rank.stream.ptr)

    def _bind_copy(self, rank: Rank, step: dict, places: dict[str, int]) -> Action:
        to, source = (places[name] + offset for name, offset in (step["to"], step["source"]))
        return self._copy(rank, to, source, step["size"])

    def _copy(self, rank: Rank, to: int, source: int, size: int) -> Action:
        kind = self._runtime.memcpyDeviceToDevice
        return lambda: self._runtime.memcpyAsync(to, source, size, kind, rank.stream.ptr)

    def warm(self, ranks: list[Rank]) -> None:
        """Use each stream's copy once, so that nothing of it is loaded while a kernel waits; then all is ready."""
        for rank in ranks:
            with self._cuda.Device(rank.device):
                place = self.allocate(rank, 512)
                self._copy(rank, place, place + 256, 256)()
        self.meet(ranks)

    def start(self, ranks: list[Rank]) -> None:
        """Queue the work of all ranks, each on its stream."""
        for rank in ranks:
            with self._cuda.Device(rank.device):
                for action in rank.actions:
                    action()

    def meet(self, ranks: list[Rank]) -> None:
        """Wait until all devices are done with everything."""
        for device in sorted({rank.device for rank in ranks}):
            with self._cuda.Device(device):
                self._runtime.deviceSynchronize()

    def _run(self, ranks: list[Rank]) -> float:
        """The seconds from the start of the last rank on. A pause lies before each rank but the first, so that one
        that does not wait for its peers is found out: side by side they may be done at the same moment by chance."""
        for number, rank in enumerate(ranks):
            if number:
                time.sleep(_PAUSE)
            start = time.perf_counter()
            self.start([rank])
        self.meet(ranks)
        return time.perf_counter() - start
