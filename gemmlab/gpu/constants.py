"""The constants of a GPU that predict a kernel's time: latencies, rates and what a launch costs, each measured.

A kernel of child/constants.cu does one thing over and over. It is timed for two numbers of rounds, and the slope
counts: the launch and what is set up before cancel. Cycles are those of the SM clock that is read just after.
`MEANINGS` says of each constant its unit and how it was measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.kernel.launch import Address, Argument, Launch, Scalar
from gemmlab.kernel.plan import Fill, Plan
from gemmlab.kernel.program import Program

if TYPE_CHECKING:
    from gemmlab.gpu.bench import Bench

_KERNELS = Path(__file__).with_name("child") / "constants.cu"
_TENSOR_KERNELS = _KERNELS.with_name("tensor_constants.cu")
_OLDEST_TENSOR = 80  # the sm_… that has all the products of tensor_constants.cu

STEPS, COPY_STEPS = 64, 16  # instructions of a round, as in constants.cu
_CODE = 4096  # those of the kernel `straight`, 16 bytes each
_THREADS, _BLOCKS_AN_SM = 512, 4
_WARPS_AN_SM = _THREADS // 32 * _BLOCKS_AN_SM
_OUT = 4096
_LINE = 128
_MEMORY = 2**30
_L2_PIECE = 2**17  # of a block: all its reads that are under way at one time lie in different lines
_SHARED_PIECE = 2**20
_L1_WINDOW = 4096
_FLUSH_CACHES = 4

_PRODUCTS = {
    "half": "16×8×16 of float16",
    "half_k8": "16×8×8 of float16",
    "bfloat": "16×8×16 of bfloat16",
    "tf32": "16×8×8 of TF32",
    "tf32_k4": "16×8×4 of TF32",
}
MEANINGS: dict[str, str] = {
    "sms": "multiprocessors, as the driver says",
    "l2_bytes": "bytes of the L2 cache, as the driver says",
    "sm_clock_mhz": "MHz: cycles of the SM clock a microsecond, median of those read after each measurement",
    "fma_latency": "cycles from a float32 multiply-add to one that needs it: a chain in one warp",
    "imad_latency": "cycles from a 32-bit integer multiply-add to one that needs it: a chain in one warp",
    "alu_latency": "cycles from a logic operation or a minimum to the next that needs it: a chain in one warp",
    "shuffle_latency": "cycles from a shuffle to one that needs it: a chain in one warp",
    "shared_latency": "cycles of a 4-byte read of shared memory whose result is the next address, one warp",
    "shared_latency_16": "cycles of a 16-byte read of shared memory whose result is the next address, one thread",
    "l1_latency": "cycles of a global read that the L1 cache serves, whose result is the next address",
    "l2_latency": "cycles of a global read that the L2 cache serves, whose result is the next address, over 4 MB",
    "dram_latency": "cycles of a global read that memory serves, whose result is the next address, 8320 bytes further",
    **{
        f"barrier_{warps}": f"cycles from one __syncthreads to the next in a block of {warps} warps, alone on its SM"
        for warps in (1, 2, 4, 8, 16, 32)
    },
    "barrier_rate": "cycles an SM for each warp that meets a barrier, eight blocks of eight warps on each SM",
    "ffma_rate": "warp instructions a cycle of an SM: float32 multiply-adds, 8 chains a thread, two operands shared",
    "outer_product_rate": "warp instructions a cycle of an SM: multiply-adds of an 8×8 outer product in registers",
    "imad_rate": "warp instructions a cycle of an SM: 32-bit integer multiply-adds",
    "imad_wide_rate": "warp instructions a cycle of an SM: integer multiply-adds with a sum of 64 bits",
    "alu_rate": "warp instructions a cycle of an SM: logic and minima of integers",
    "ffma_imad_rate": "warp instructions a cycle of an SM: float32 and integer multiply-adds in turns",
    "ffma_alu_rate": "warp instructions a cycle of an SM: float32 multiply-adds and logic in turns",
    "large_code_rate": "warp instructions a cycle of an SM: multiply-adds in a loop of 64 KB of code",
    "shuffle_rate": "warp instructions a cycle of an SM: shuffles",
    **{
        f"mma_{kind}_latency": f"cycles from a product of {what} on tensor cores to one that adds to it, one warp"
        for kind, what in _PRODUCTS.items()
    },
    **{
        f"mma_{kind}_rate": f"warp instructions a cycle of an SM: products of {what}, 8 chains a warp"
        for kind, what in _PRODUCTS.items()
    },
    **{
        f"mma_half_rate_{warps}": f"the same of 16×8×16 of float16, with {warps} warps a scheduler and no more"
        for warps in (1, 2, 4)
    },
    "mma_half_chain_rate_4": "warp instructions a cycle of an SM: products, one chain a warp, 4 warps a scheduler",
    "mma_outer_product_rate": "warp instructions a cycle of an SM: products of 4 by 8 fragments, two warps a scheduler",
    "mma_half_fma_8_rate": "rounds a cycle of an SM: a product of 16×8×16 and 8 float32 multiply-adds beside it",
    "mma_half_fma_16_rate": "rounds a cycle of an SM: a product of 16×8×16 and 16 float32 multiply-adds beside it",
    "ldmatrix_latency": "cycles of an ldmatrix of four matrices, whose result is the next address, one warp",
    "ldmatrix_1_rate": "reads a cycle of an SM: ldmatrix of one matrix, rows side by side",
    "ldmatrix_2_rate": "reads a cycle of an SM: ldmatrix of two matrices, rows side by side",
    "ldmatrix_4_rate": "reads a cycle of an SM: ldmatrix of four matrices, rows side by side",
    "ldmatrix_4_turned_rate": "reads a cycle of an SM: ldmatrix of four matrices, transposed, rows side by side",
    "ldmatrix_4_conflict_rate": "reads a cycle of an SM: ldmatrix of four matrices, all rows of each in the same banks",
    **{
        f"ldmatrix_mma_{count}_rate": f"rounds a cycle of an SM: ldmatrix of four matrices, {count} products of them"
        for count in (1, 2, 4)
    },
    "shared_4_rate": "reads a cycle of an SM: 4 bytes a lane of shared memory, all banks once",
    "shared_4_same_rate": "reads a cycle of an SM: 4 bytes of shared memory, the same for all lanes",
    "shared_4_conflict_rate": "reads a cycle of an SM: 4 bytes a lane of shared memory, two rows of each bank",
    "shared_8_rate": "reads a cycle of an SM: 8 bytes a lane of shared memory, side by side",
    "shared_16_rate": "reads a cycle of an SM: 16 bytes a lane of shared memory, side by side",
    "shared_16_same_rate": "reads a cycle of an SM: 16 bytes of shared memory, the same for all lanes",
    "shared_store_rate": "writes a cycle of an SM: 4 bytes a lane to shared memory, all banks once",
    "shared_4_fma_4_rate": "rounds a cycle of an SM: a 4-byte shared read and 4 multiply-adds that need it",
    "shared_4_fma_8_rate": "rounds a cycle of an SM: a 4-byte shared read and 8 multiply-adds that need it",
    "shared_16_fma_16_rate": "rounds a cycle of an SM: a 16-byte shared read and 16 multiply-adds that need it",
    "l1_4_rate": "reads a cycle of an SM: 4 bytes a lane, one line, out of the L1 cache",
    "l1_4_same_rate": "reads a cycle of an SM: the same 4 bytes for all lanes, out of the L1 cache",
    "l1_4_lines_rate": "reads a cycle of an SM: 4 bytes a lane, each in a line of its own, out of the L1 cache",
    "l1_4_sectors_rate": "reads a cycle of an SM: 4 bytes a lane, each in a sector of its own, out of the L1 cache",
    "l1_16_rate": "reads a cycle of an SM: 16 bytes a lane, side by side, out of the L1 cache",
    "l2_bytes_an_sm": "bytes a cycle that an SM reads from the L2 cache at most: l2_same_rate, an SM",
    "l2_rate": "bytes a cycle that all SMs read from the L2 cache, 16 bytes a lane, each block a piece of its own",
    "l2_rate_4": "bytes a cycle that all SMs read from the L2 cache, 4 bytes a lane, each block a piece of its own",
    "l2_same_rate": "bytes a cycle that all SMs read from the L2 cache, 16 bytes a lane, all blocks the same",
    "l2_write_rate": "bytes a cycle that all SMs write into the L2 cache, 16 bytes a lane, each block its own piece",
    "l2_write_an_sm": "bytes a cycle that one SM writes into the L2 cache while the others rest",
    "async_copy_rate": "bytes a cycle that all SMs copy from the L2 cache by cp.async, 16 bytes a lane",
    "async_copy_an_sm": "bytes a cycle that one SM copies from the L2 cache by cp.async while the others rest",
    "dram_read_rate": "bytes a cycle of the SM clock read from memory, by all SMs",
    "dram_write_rate": "bytes a cycle of the SM clock written to memory, by all SMs",
    "atomic_rate": "atomic additions a cycle of the SM clock, by all SMs, side by side over 8 MB",
    "launch_us": "microseconds between events around a kernel of one warp that does nothing",
    "launch_cold_us": "the same, with cold caches",
    "launch_next_us": "microseconds that a second launch of it adds",
    "fill_us": "microseconds that a fill of 16 KB before it adds",
    **{
        f"block_{threads}": f"cycles of an SM for each block of {threads} threads that does nothing"
        for threads in (32, 256, 1024)
    },
    "cold_code_us": "microseconds that cold caches add to a run of one warp through 64 KB of code without a branch",
}


@dataclass(frozen=True)
class _Probe:
    """A kernel for two numbers of rounds. `work` is what an SM, or the whole GPU, does in a round; `inverse`: the
    constant is work a cycle, not cycles of a unit of work."""

    name: str
    kernel: str
    rounds: tuple[int, int]
    blocks: int = 1
    threads: int = 32
    work: float = STEPS
    inverse: bool = False
    reads: int = 0  # bytes of a buffer that is its first argument
    more: tuple[Scalar, ...] = ()
    ring: tuple[int, int] | None = None  # bytes from one address to the next, and how many there are
    cold: bool = False  # the ring is driven out of the L2 cache

    def plan(self, rounds: int, l2_bytes: int) -> Plan:
        """What is timed."""
        buffers = {"out": _OUT}
        steps: list[Launch | Fill] = []
        arguments: tuple[Argument, ...] = (Address("out"), Scalar("int32", rounds), *self.more)
        if self.reads:
            buffers["memory"] = self.reads
            arguments = (Address("memory"), *arguments)
        if self.ring:
            step, count = self.ring
            made = (Address("memory"), Scalar("int64", step), Scalar("int32", count))
            steps.append(Launch((256, 1, 1), (64, 1, 1), kernel="make_ring", arguments=made))
        if self.cold:
            buffers["others"] = _FLUSH_CACHES * l2_bytes
            steps.append(Fill(Address("others"), buffers["others"], 0))
        launch = Launch((self.threads, 1, 1), (self.blocks, 1, 1), kernel=self.kernel, arguments=arguments)
        return Plan((*steps, launch), buffers)

    def value(self, cycles: float) -> float:
        """The constant, of the cycles of a round."""
        return self.work / cycles if self.inverse else cycles / self.work


def measure_constants(bench: Bench, tell: Callable[[str], None]) -> dict[str, float]:
    """The constants by name, as in MEANINGS, but for those that could not be measured: `tell` hears why. It takes some
    seconds."""
    program = compile_source(_KERNELS.read_text(encoding="utf-8"), _KERNELS.name, arch=bench.arch)
    found: dict[str, float] = {"sms": bench.sms, "l2_bytes": bench.l2_bytes}
    probes = [(program, probe) for probe in _probes(bench.sms)]
    if int(bench.arch.removeprefix("sm_").rstrip("af")) >= _OLDEST_TENSOR:
        tensor = compile_source(_TENSOR_KERNELS.read_text(encoding="utf-8"), _TENSOR_KERNELS.name, arch=bench.arch)
        probes += [(tensor, probe) for probe in _tensor(bench.sms)]
    clocks = []
    for code, probe in probes:
        try:
            cycles, clock = _cycles(bench, code, probe)
        except UserError as error:
            tell(f"{probe.name} is not measured: {error}")
            continue
        found[probe.name] = float(f"{probe.value(cycles):.4g}")
        clocks.append(clock)
    if "l2_same_rate" in found:
        found["l2_bytes_an_sm"] = float(f"{found['l2_same_rate'] / bench.sms:.4g}")
    try:
        found |= _launches(bench, program)
    except UserError as error:
        tell(f"launches are not measured: {error}")
    found["sm_clock_mhz"] = round(float(np.median(clocks)))
    return {name: found[name] for name in MEANINGS if name in found}


def _cycles(bench: Bench, program: Program, probe: _Probe) -> tuple[float, float]:
    """Cycles of a round, and the clock in MHz."""
    times = []
    for rounds in probe.rounds:
        ms, clock = bench.spans(program, probe.plan(rounds, bench.l2_bytes), repeats=7)
        times.append(float(np.median(ms)))
    if times[1] <= times[0]:
        raise UserError(f"{probe.rounds[1]} rounds took no longer than {probe.rounds[0]}")
    return (times[1] - times[0]) * 1e3 * clock / (probe.rounds[1] - probe.rounds[0]), clock


def _probes(sms: int) -> Iterator[_Probe]:
    yield from _latencies()
    yield from _barriers(sms)
    yield from _issue(sms)
    yield from _shared(sms)
    yield from _caches(sms)
    yield from _memory(sms)
    yield from _blocks(sms)


def _latencies() -> Iterator[_Probe]:
    for name in ("fma", "imad", "alu", "shuffle", "shared"):
        yield _Probe(f"{name}_latency", f"chain_{name}", (64, 576))
    yield _Probe("shared_latency_16", "chain_shared_16", (64, 576), threads=1)
    yield _Probe("l1_latency", "chase_l1", (16, 272), threads=1, reads=2**14, ring=(_LINE, 64))
    yield _Probe("l2_latency", "chase_l2", (16, 80), threads=1, reads=2**22, ring=(2 * _LINE + 32, 14000))
    far = 65 * _LINE
    yield _Probe("dram_latency", "chase_l2", (4, 36), threads=1, reads=far * 2**14, ring=(far, 2**14), cold=True)


def _barriers(sms: int) -> Iterator[_Probe]:
    for warps in (1, 2, 4, 8, 16, 32):
        yield _Probe(f"barrier_{warps}", "barriers", (64, 576), threads=32 * warps)
    yield _Probe("barrier_rate", "barriers", (64, 320), blocks=8 * sms, threads=256, work=STEPS * 64)


def _issue(sms: int) -> Iterator[_Probe]:
    work = STEPS * _WARPS_AN_SM
    for name in ("ffma", "imad", "imad_wide", "alu", "ffma_imad", "ffma_alu", "shuffle"):
        yield _Probe(f"{name}_rate", f"rate_{name}", (64, 576), _BLOCKS_AN_SM * sms, _THREADS, work, True)
    whole = _CODE * _WARPS_AN_SM
    yield _Probe("large_code_rate", "straight", (2, 10), _BLOCKS_AN_SM * sms, _THREADS, whole, True)
    yield _Probe("outer_product_rate", "rate_outer_product", (64, 576), 2 * sms, 256, STEPS * 16, True)


def _shared(sms: int) -> Iterator[_Probe]:
    steps = {"4": 4, "4_same": 0, "4_conflict": 8, "8": 8, "16": 16, "16_same": 0}
    steps |= {"store": 4, "4_fma_4": 4, "4_fma_8": 4, "16_fma_16": 16}
    for name, step in steps.items():
        kernel = f"rate_shared_{name.removesuffix('_same').removesuffix('_conflict')}"
        more = (Scalar("int32", step),)
        work = STEPS * _WARPS_AN_SM
        yield _Probe(
            f"shared_{name}_rate", kernel, (16, 144), _BLOCKS_AN_SM * sms, _THREADS, work, inverse=True, more=more
        )


def _tensor(sms: int) -> Iterator[_Probe]:
    """Products on tensor cores, and the reads that feed them."""
    work, blocks, whole = STEPS * _WARPS_AN_SM, _BLOCKS_AN_SM * sms, 4 * STEPS
    for kind in _PRODUCTS:
        yield _Probe(f"mma_{kind}_latency", f"chain_mma_{kind}", (64, 320))
        yield _Probe(f"mma_{kind}_rate", f"rate_mma_{kind}", (8, 72), blocks, _THREADS, work, True)
    for warps in (1, 2, 4):
        yield _Probe(f"mma_half_rate_{warps}", "rate_mma_half", (32, 288), sms, 128 * warps, warps * whole, True)
    yield _Probe("mma_half_chain_rate_4", "chain_mma_half", (32, 160), sms, 512, 4 * whole, True)
    yield _Probe("mma_outer_product_rate", "rate_mma_outer_product", (32, 288), sms, 256, 2 * whole, True)
    for fmas in (8, 16):
        yield _Probe(f"mma_half_fma_{fmas}_rate", f"rate_mma_half_fma_{fmas}", (8, 72), blocks, _THREADS, work, True)
    yield _Probe("ldmatrix_latency", "chain_ldmatrix", (64, 320))
    steps = {"1": 16, "2": 16, "4": 16, "4_turned": 16, "4_conflict": 128, "mma_1": 16, "mma_2": 16, "mma_4": 16}
    for name, step in steps.items():
        kernel = f"rate_ldmatrix_{name.removesuffix('_conflict')}"
        more = (Scalar("int32", step),)
        yield _Probe(f"ldmatrix_{name}_rate", kernel, (8, 72), blocks, _THREADS, work, inverse=True, more=more)


def _caches(sms: int) -> Iterator[_Probe]:
    work, blocks = STEPS * _WARPS_AN_SM, _BLOCKS_AN_SM * sms
    for name, step in {"4": 4, "4_same": 0, "4_lines": _LINE, "4_sectors": 32, "16": 16}.items():
        more = Scalar("int32", step), Scalar("int32", _L1_WINDOW)
        kernel = f"rate_l1_{name.partition('_')[0]}"
        yield _Probe(f"l1_{name}_rate", kernel, (16, 144), blocks, _THREADS, work, True, 2**16, more)
    apart = Scalar("int64", _L2_PIECE), Scalar("int32", _L2_PIECE)
    same = Scalar("int64", 0), Scalar("int32", _SHARED_PIECE)
    for name, kernel, width, count, places in (
        ("l2_rate", "rate_l2_16", 16, sms, apart),
        ("l2_rate_4", "rate_l2_4", 4, sms, apart),
        ("l2_same_rate", "rate_l2_16", 16, sms, same),
        ("l2_write_rate", "rate_l2_write", 16, sms, apart),
        ("l2_write_an_sm", "rate_l2_write", 16, 1, apart),
        ("async_copy_rate", "rate_async_copy", 16, sms, apart),
        ("async_copy_an_sm", "rate_async_copy", 16, 1, apart),
    ):
        bytes_read = count * _THREADS * COPY_STEPS * width
        size = max(_SHARED_PIECE, count * _L2_PIECE)
        yield _Probe(name, kernel, (32, 160), count, _THREADS, bytes_read, True, size, places)


def _memory(sms: int) -> Iterator[_Probe]:
    blocks = _BLOCKS_AN_SM * sms
    for name in ("read", "write"):
        count = (Scalar("int64", _MEMORY // 16),)
        yield _Probe(f"dram_{name}_rate", f"{name}_dram", (1, 3), blocks, _THREADS, _MEMORY, True, _MEMORY, count)
    spread = (Scalar("int32", 2**21),)
    yield _Probe("atomic_rate", "rate_atomic", (32, 160), blocks, _THREADS, blocks * _THREADS, True, 2**23, spread)


def _blocks(sms: int) -> Iterator[_Probe]:
    for threads in (32, 256, 1024):
        yield _Grid(f"block_{threads}", "nothing", (64, 1088), blocks=sms, threads=threads, work=1)


class _Grid(_Probe):
    """A round is a block more on each SM."""

    def plan(self, rounds: int, l2_bytes: int) -> Plan:
        launch = Launch(
            (self.threads, 1, 1),
            (self.blocks * rounds, 1, 1),
            kernel=self.kernel,
            arguments=(Address("out"), Scalar("int32", 0)),
        )
        return Plan((launch,), {"out": _OUT})


def _launches(bench: Bench, program: Program) -> dict[str, float]:
    """Microseconds of launches."""
    empty, straight = (_launch(name, rounds) for name, rounds in (("nothing", 0), ("straight", 1)))
    buffers = {"out": _OUT, "more": 2**14}

    def microseconds(*steps: Launch | Fill, cold: bool = False) -> float:
        ms, _ = bench.spans(program, Plan(steps, buffers), repeats=40, cold=cold)
        return 1e3 * float(np.median(ms))

    once, once_cold = microseconds(empty), microseconds(empty, cold=True)
    code_cold, code_warm = microseconds(straight, cold=True), microseconds(straight)
    found = {
        "launch_us": once,
        "launch_cold_us": once_cold,
        "launch_next_us": microseconds(empty, empty) - once,
        "fill_us": microseconds(Fill(Address("more"), 2**14, 0), empty) - once,
        "cold_code_us": code_cold - code_warm - (once_cold - once),
    }
    return {name: round(value, 2) for name, value in found.items()}


def _launch(kernel: str, rounds: int) -> Launch:
    return Launch((32, 1, 1), (1, 1, 1), kernel=kernel, arguments=(Address("out"), Scalar("int32", rounds)))
