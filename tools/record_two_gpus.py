"""Record products on several GPUs of this host: lesson 15's kernel, and the faster one of solutions/fast/two_gpus.cu:

    python tools/record_two_gpus.py RESULT.json [--devices 2] [--shape M,N,K …] [--seconds 3] [--commit HASH]

RESULT.json is a file of gemmlab/recorded/links/; its products and its figures are written anew. With a single GPU all
ranks run on it: then nothing crosses a link, the times are only printed, and no file is written.

Beside the kernels, which exchange while they multiply, stand their products with nothing exchanged, and cuBLAS followed
by NCCL. A product on all ranks begins when a kernel that holds each stream is let go by the host, with everything
queued, and takes as long as its slowest rank. The ways take turns; the figures are medians. Before that, each way
multiplies small whole numbers two times, whose product must come out exactly as cuBLAS's. After that, the last C of
every rank must be that of one GPU: bit by bit for the lesson's kernel, closely for the other ways. NCCL comes from the
wheel nvidia-nccl-cu12 or nvidia-nccl-cu13, which the course does not install.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from gemmlab import gpu
from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import Kernel, load
from gemmlab.gpu.child.context import Gpu
from gemmlab.gpu.child.ranks import Rank, Ranks
from gemmlab.gpu.child.request import request_of
from gemmlab.kernel import plan
from gemmlab.kernel.program import Program

SHAPES = ((8192, 8192, 8192), (4096, 11008, 4096), (4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024))
FAST = "solutions/fast/two_gpus.cu"
HOLD_NS = 2_000_000_000
WARM_UP, FEWEST = 3, 5
STORE_BYTES = 1 << 28
HELPERS = Path(gpu.__file__).parent / "child" / "bench.cu"
STORES = """extern "C" __global__ void fill(float4* to, long long count, float value)
{
    for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += (long long)gridDim.x * blockDim.x) {
        to[i] = make_float4(value, value, value, value);
    }
}
"""
NO_NCCL = "CuPy finds no NCCL: install nvidia-nccl-cu12 or nvidia-nccl-cu13, whichever fits CuPy's CUDA"
Shape = tuple[int, int, int]


@dataclass
class Way:
    """One way to do a product: the ranks that take part, what is called once they are queued (NCCL), and its times."""

    ranks: list[Rank]
    after: Callable[[], None] = lambda: None
    band: bool = False  # whether a rank has only its own rows of C
    exactly: bool = True  # whether the products are added in the lesson's order
    milliseconds: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Code:
    """A kernel with lesson 15's launcher, compiled."""

    kernel: Kernel
    source: str
    program: Program
    cubin: str

    def work(self, world: int, shape: Shape) -> plan.Ranks:
        work = self.kernel.on(world).launches_of(self.source).at(*shape)
        assert isinstance(work, plan.Ranks), "the lesson is for several devices"
        return work


class Host:
    """The GPUs of this process, and what all measurements on them share."""

    def __init__(self, devices: int | None) -> None:
        os.environ.setdefault("NCCL_NVLS_ENABLE", "0")  # stores and copies alone: no multicast by NVLink's switch
        import cupy
        from cupy.cuda import nccl

        self.cupy, self.nccl, self.gpu = cupy, nccl, Gpu()
        self.side = Ranks(self.gpu)
        there = cupy.cuda.runtime.getDeviceCount()
        self.world, self.used = devices or 2, min(there, devices or 2)
        self.arch = self.gpu.describe()["arch"]
        self._ticket = ctypes.c_int.from_address(cupy.cuda.runtime.hostAlloc(4, 1))  # seen by all devices
        self._ticket.value = 0
        self._write("bench.cubin", HELPERS.read_text(encoding="utf-8"), HELPERS.name)
        self._write("stores.cubin", STORES, "stores.cu")
        self._holds: dict[int, Any] = {}

    def _write(self, name: str, source: str, said: str) -> Program:
        program = compile_source(source, said, arch=self.arch)
        Path(name).write_bytes(program.machine_code)
        return program

    def code(self, kernel: Kernel, source: str, name: str) -> Code:
        return Code(kernel, source, self._write(f"{name}.cubin", source, f"{name}.cu"), f"{name}.cubin")

    def hold(self, rank: Rank) -> None:
        """Let the rank's stream wait for `go`."""
        with self.cupy.cuda.Device(rank.device):
            if rank.device not in self._holds:
                self._holds[rank.device] = self.side.load(rank, "bench.cubin").get_function("hold")
            place = ctypes.addressof(self._ticket)
            arguments = (np.uint64(place), np.int32(self._ticket.value + 1), np.int64(HOLD_NS))
            self._holds[rank.device]((1, 1, 1), (1, 1, 1), arguments, 0, rank.stream)

    def milliseconds(self, way: Way) -> float:
        """Of the slowest rank, from the moment at which all are let go."""
        marks = []
        for rank in way.ranks:
            self.hold(rank)
            marks.append([self._mark(rank), None])
        self.side.start(way.ranks)
        way.after()
        for rank, pair in zip(way.ranks, marks, strict=True):
            pair[1] = self._mark(rank)
        self._ticket.value += 1
        self.side.meet(way.ranks)
        return max(self.cupy.cuda.get_elapsed_time(*pair) for pair in marks)

    def _mark(self, rank: Rank) -> Any:
        with self.cupy.cuda.Device(rank.device):
            event = self.cupy.cuda.Event()
            event.record(rank.stream)
            return event

    def array(self, rank: Rank, pointer: int, shape: tuple[int, int]) -> Any:
        """Memory of a rank as an array of CuPy's."""
        with self.cupy.cuda.Device(rank.device):
            memory = self.cupy.cuda.UnownedMemory(pointer, 4 * shape[0] * shape[1], rank, rank.device)
            return self.cupy.ndarray(shape, np.float32, self.cupy.cuda.MemoryPointer(memory, 0))

    def communicators(self) -> list[Any]:
        """NCCL's, one a rank; none where there is no NCCL, or no GPU for each rank."""
        if self.used < self.world:
            print("cuBLAS and NCCL are left out: NCCL takes a GPU for each rank", flush=True)
            return []
        if not self.nccl.available:
            raise SystemExit(NO_NCCL)
        return list(self.nccl.NcclCommunicator.initAll(list(range(self.world))))


class Product:
    """One shape: A, B and C of all ranks, and the ways to multiply them."""

    def __init__(self, host: Host, shape: Shape, communicators: list[Any]) -> None:
        self.host, self.shape, self._communicators = host, shape, communicators
        lesson = load("15")
        taught = host.code(lesson.kernel, lesson.solution, "taught")
        fast = host.code(lesson.kernel, (lesson.root / FAST).read_text(encoding="utf-8"), "fast")
        self._flags = max(code.work(host.world, shape).flags for code in (taught, fast))
        self.ways = {
            "one": self._together(taught, 1),
            "alone": self._alone(taught),
            "fused": self._together(taught, host.world),
            "fast_alone": replace(self._alone(fast), exactly=False),
            "fast": replace(self._together(fast, host.world), exactly=False),
        }
        if communicators:
            self.ways["cublas_nccl"] = replace(self._libraries(), exactly=False)
        for way in self.ways.values():
            host.side.warm(way.ranks)

    @property
    def band(self) -> int:
        return -(-self.shape[0] // self.host.world)

    def _together(self, code: Code, world: int) -> Way:
        ranks = self._ranks(world, self.shape[0])
        self.host.side.tables(ranks)
        self._bind(ranks, code, world, self.shape)
        return Way(ranks)

    def _alone(self, code: Code) -> Way:
        """Each rank its own band, with nobody to send to."""
        ranks = self._ranks(self.host.world, self.band)
        for rank in ranks:
            self.host.side.tables([rank])
            self._bind([rank], code, 1, (self.band, *self.shape[1:]))
        return Way(ranks, band=True)

    def _ranks(self, world: int, rows: int) -> list[Rank]:
        """Ranks with room for their rows of A, for B, for a C of so many rows, and for the flags, which are down."""
        _, N, K = self.shape
        ranks = self.host.side.make(world, self.host.used)
        mine = -(-self.shape[0] // world) if rows == self.shape[0] else rows
        for rank in ranks:
            sizes = {"A": mine * K, "B": K * N, "C": rows * N, "flags": self._flags}
            rank.places = {name: self.host.side.allocate(rank, 4 * size) for name, size in sizes.items()}
            with self.host.cupy.cuda.Device(rank.device):
                self.host.array(rank, rank.places["flags"], (1, self._flags)).fill(0)
        return ranks

    def _bind(self, ranks: list[Rank], code: Code, world: int, shape: Shape) -> None:
        for rank, mine in zip(ranks, code.work(world, shape).plans, strict=True):
            rank.module = self.host.side.load(rank, code.cubin)
            request = request_of(code.program, mine, shape, shape)
            self.host.side.bind(rank, request["steps"], request["buffers"])

    def _libraries(self) -> Way:
        """cuBLAS on every band, then NCCL's all-gather in place. The rows must be a multiple of the ranks."""
        ranks = self._ranks(self.host.world, self.shape[0])
        for number, rank in enumerate(ranks):
            rank.actions = [self._cublas(rank, number)]
        return Way(ranks, lambda: self._gather(ranks))

    def _cublas(self, rank: Rank, number: int) -> Callable[[], None]:
        _, N, K = self.shape
        places = {**rank.places, "C": rank.places["C"] + 4 * number * self.band * N}
        with self.host.cupy.cuda.Device(rank.device):
            return _on_stream(rank, self.host.gpu.multiply("sgemm", np.float32, places, self.band, N, K))

    def _gather(self, ranks: list[Rank]) -> None:
        nccl, count = self.host.nccl, self.band * self.shape[1]
        nccl.groupStart()
        for number, (rank, communicator) in enumerate(zip(ranks, self._communicators, strict=True)):
            with self.host.cupy.cuda.Device(rank.device):
                place = rank.places["C"]
                mine = place + 4 * number * count
                communicator.allGather(mine, place, count, nccl.NCCL_FLOAT32, rank.stream.ptr)
        nccl.groupEnd()

    # ---- numbers in and out

    def draw(self, seed: int, whole: bool) -> None:
        """A and B of all ranks: small whole numbers, whose products and sums are exact, or random ones in [-1, 1)."""
        M, N, K = self.shape
        rng = np.random.default_rng(seed)
        A, B = (
            rng.integers(-2, 3, size).astype(np.float32) if whole else rng.random(size, np.float32) * 2 - 1
            for size in ((M, K), (K, N))
        )
        for way in self.ways.values():
            share = -(-M // len(way.ranks))
            for number, rank in enumerate(way.ranks):
                part = A[number * share : (number + 1) * share]
                with self.host.cupy.cuda.Device(rank.device):
                    self.host.array(rank, rank.places["A"], part.shape).set(part)
                    self.host.array(rank, rank.places["B"], B.shape).set(B)

    def blank(self, way: Way) -> None:
        rows = self.band if way.band else self.shape[0]
        for rank in way.ranks:
            with self.host.cupy.cuda.Device(rank.device):
                self.host.array(rank, rank.places["C"], (rows, self.shape[1])).fill(np.nan)
        self.host.side.meet(way.ranks)

    def compare(self, name: str, right: np.ndarray, exactly: bool = True) -> None:
        """Whether every rank has what it should have. SystemExit where one has not."""
        way = self.ways[name]
        for number, rank in enumerate(way.ranks):
            expected = right[number * self.band : (number + 1) * self.band] if way.band else right
            with self.host.cupy.cuda.Device(rank.device):
                found = self.host.array(rank, rank.places["C"], expected.shape).get()
            same = np.array_equal(found, expected) if exactly else np.allclose(found, expected, atol=1e-2)
            if not same:
                raise SystemExit(f"{name}: rank {number} has another C than it should have; nothing is recorded")

    def check(self) -> None:
        """Every way on whole numbers, two times, beside cuBLAS on the first GPU."""
        self.draw(1, True)
        one = self.ways["one"].ranks[0]
        M, N, K = self.shape
        with self.host.cupy.cuda.Device(one.device):
            A, B = (self.host.array(one, one.places[name], size) for name, size in (("A", (M, K)), ("B", (K, N))))
            right = (A @ B).get()
        for name, way in self.ways.items():
            for _ in range(2):
                self.blank(way)
                self.host.milliseconds(way)
                self.compare(name, right)

    def measure(self, seconds: float) -> None:
        """Fill in the times, the ways in turns."""
        self.draw(2, False)
        for way in self.ways.values():
            for _ in range(WARM_UP):
                self.host.milliseconds(way)
        end = time.monotonic() + seconds
        rounds = 0
        while rounds < FEWEST or time.monotonic() < end:
            for way in self.ways.values():
                self.blank(way)
                way.milliseconds.append(self.host.milliseconds(way))
            rounds += 1
        one = self.ways["one"].ranks[0]
        right = self.host.array(one, one.places["C"], (self.shape[0], self.shape[1])).get()
        for name in self.ways:
            self.compare(name, right, self.ways[name].exactly)

    def row(self) -> dict:
        times = {name: round(median(way.milliseconds), 4) for name, way in self.ways.items()}
        return {
            "shape": list(self.shape),
            "devices": self.host.world,
            "one_ms": times["one"],
            "alone_ms": times["alone"],
            "fused_ms": times["fused"],
            "fast_alone_ms": times["fast_alone"],
            "fast_ms": times["fast"],
            "cublas_nccl_ms": times.get("cublas_nccl"),
        }

    def free(self) -> None:
        for way in self.ways.values():
            self.host.side.free(way.ranks)


def figures(host: Host, communicators: list[Any]) -> dict:
    """The rates of the link and of cuBLAS, of two devices, one direction."""
    ranks = host.side.make(2, 2)
    places = [host.side.allocate(rank, 2 * STORE_BYTES) for rank in ranks]
    fill = host.side.load(ranks[0], "stores.cubin").get_function("fill")
    arguments = (np.uint64(places[1]), np.int64(STORE_BYTES // 16), np.float32(1))
    runtime, stream = host.cupy.cuda.runtime, ranks[0].stream
    grid = (8 * host.gpu.properties["multiProcessorCount"], 1, 1)
    actions = {
        "peer_copy_gbs": lambda: runtime.memcpyPeerAsync(places[1], 1, places[0], 0, STORE_BYTES, stream.ptr),
        "peer_store_gbs": lambda: fill(grid, (256, 1, 1), arguments, 0, stream),
    }
    found = {}
    for name, action in actions.items():
        ranks[0].actions = [action]
        way = Way(ranks[:1])
        found[name] = round(STORE_BYTES / 1e6 / median(host.milliseconds(way) for _ in range(9)), 1)
    if communicators:
        found["nccl_all_gather_gbs"] = round(STORE_BYTES / 1e6 / _gather_ms(host, ranks, places, communicators), 1)
    host.side.free(ranks)
    side = 8192
    for name, count in (("cublas_one_tflops", 1), ("cublas_two_tflops", 2)):
        found[name] = round(count * 2 * side**3 / 1e9 / _cublas_ms(host, side, count), 1)
    return found


def _gather_ms(host: Host, ranks: list[Rank], places: list[int], communicators: list[Any]) -> float:
    nccl = host.nccl

    def gather() -> None:
        nccl.groupStart()
        for number, (rank, place, one) in enumerate(zip(ranks, places, communicators, strict=True)):
            with host.cupy.cuda.Device(rank.device):
                mine = place + number * STORE_BYTES
                one.allGather(mine, place, STORE_BYTES // 4, nccl.NCCL_FLOAT32, rank.stream.ptr)
        nccl.groupEnd()

    gather()
    host.side.meet(ranks)
    for rank in ranks:
        rank.actions = []
    return median(host.milliseconds(Way(ranks, gather)) for _ in range(9))


def _cublas_ms(host: Host, side: int, count: int) -> float:
    """Of one product of that side on each of the first `count` GPUs."""
    ranks = host.side.make(count, count)
    for rank in ranks:
        rank.places = {name: host.side.allocate(rank, 4 * side * side) for name in "ABC"}
        with host.cupy.cuda.Device(rank.device):
            for name in "AB":
                host.array(rank, rank.places[name], (side, side))[:] = host.cupy.random.random((side, side), np.float32)
            multiply = host.gpu.multiply("sgemm", np.float32, rank.places, side, side, side)
        rank.actions = [_on_stream(rank, multiply)]
    way = Way(ranks)
    took = [host.milliseconds(way) for _ in range(WARM_UP + 9)][WARM_UP:]
    host.side.free(ranks)
    return median(took)


def _on_stream(rank: Rank, multiply: Callable[[], None]) -> Callable[[], None]:
    """CuPy's cuBLAS takes the stream that is current when it is called, whatever its handle was told before."""

    def work() -> None:
        with rank.stream:
            multiply()

    return work


@contextmanager
def _own_folder() -> Iterator[None]:
    """The helpers' code lies in a folder of its own, as in the worker's."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def measured(host: Host, shapes: list[Shape], seconds: float) -> tuple[list[dict], dict]:
    communicators = host.communicators()
    rows = []
    for shape in shapes:
        product = Product(host, shape, communicators)
        product.check()
        product.measure(seconds)
        rows.append(product.row())
        product.free()
        one, fused, alone = (rows[-1][f"{name}_ms"] for name in ("one", "fused", "alone"))
        print(rows[-1], f"{one / fused:.2f} times one GPU, {100 * alone / fused:.1f} % of it kept", flush=True)
    return rows, figures(host, communicators) if host.used == 2 else {}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--shape", action="append", type=lambda text: tuple(map(int, text.split(","))), default=[])
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--commit", default="")
    parser.add_argument("--link", default="NVLink NV18", help="what nvidia-smi topo -m says")
    return parser.parse_args()


def main() -> None:
    asked = arguments()
    result, shapes = asked.result.resolve(), asked.shape or list(SHAPES)
    if any(len(shape) != 3 or shape[0] % asked.devices for shape in shapes):
        raise SystemExit("a shape is M,N,K, and its M a multiple of the devices, for NCCL gathers equal parts")
    with _own_folder():
        host = Host(asked.devices)
        rows, found = measured(host, shapes, asked.seconds)
    if host.used < host.world:
        print(f"{host.used} GPU for {host.world} ranks: nothing crossed a link, and nothing is written.")
        return
    device = gpu.device()
    machine = {"gpu": device.name, "devices": host.world, "link": asked.link, "driver": device.driver}
    machine |= {"date": date.today().isoformat(), "commit": asked.commit}
    old = json.loads(result.read_text(encoding="utf-8")) if result.exists() else {"figures": {}}
    source = f"recorded by tools/record_two_gpus.py, driver {device.driver}, {machine['date']}"
    data = old | {"machine": machine, "source": source, "figures": old["figures"] | found, "products": rows}
    result.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
