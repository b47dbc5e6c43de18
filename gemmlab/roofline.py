"""The ceilings of this machine's GPU as measured, and where kernels stand under them at each level of memory.

Every ceiling is what a kernel of device/ceilings.cu reached, or cudaMemcpy, never a figure from a data sheet:

- fma_tflops: float32 multiply-adds, independent of each other, in registers;
- copy_gbs: a copy within the GPU's memory, bytes read and bytes written counted;
- l2_gbs: reads of a buffer that fits into the L2 cache, past the L1 cache;
- shared_gbs: reads of 16 bytes a thread from shared memory, without bank conflicts, all SMs together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.compile import compile_source
from gemmlab.launch import Address, Launch, LaunchSpec, Scalar
from gemmlab.plan import Plan

if TYPE_CHECKING:
    from gemmlab.bench import Bench
    from gemmlab.emulator.counters import LineCounters
    from gemmlab.views.roofline import Ceilings

_KERNELS = Path(__file__).with_name("device") / "ceilings.cu"
SECTOR = 32  # bytes
LEVELS = {"memory": "copy_gbs", "L2": "l2_gbs", "shared": "shared_gbs"}  # a level, and the ceiling of its bytes

CHAINS, ROUNDS = 8, 2048  # as in ceilings.cu
_BLOCKS_A_SM = 16
_COPY_BYTES = 2**30  # read, and as many written: several times any L2 cache
_L2_PART = 4  # the buffer is the L2 cache's size divided by this


def measure_ceilings(bench: Bench) -> dict[str, float]:
    """The ceilings by name, as in the module, and `sm_clock_mhz` beside the multiply-adds. It takes some seconds."""
    program = compile_source(_KERNELS.read_text(encoding="utf-8"), _KERNELS.name, arch=bench.arch)
    found = {}
    for name, probe in _probes(bench.sms, bench.l2_bytes).items():
        ms, clock = bench.spans(program, probe.plan)
        found[name] = round(probe.work / (1e-3 * float(np.median(ms))) / probe.unit, 2)
        if name == "fma_tflops":
            found["sm_clock_mhz"] = round(clock)
    return found


@dataclass(frozen=True)
class _Probe:
    """A launch, the operations or bytes that it stands for, and how many of them a second are one unit."""

    plan: Plan
    work: float
    unit: float


def _probes(sms: int, l2_bytes: int) -> dict[str, _Probe]:
    blocks = sms * _BLOCKS_A_SM
    l2_count = l2_bytes // _L2_PART // 16 // 256 * 256
    return {
        "fma_tflops": _probe(
            "multiply_add", blocks, 256, (Scalar("float32", 1e-9),), 2 * CHAINS * ROUNDS * 256 * blocks, 1e12
        ),
        "copy_gbs": _probe(
            "copy", blocks, 512, (Address("to"), Scalar("int64", _COPY_BYTES // 16)), 2 * _COPY_BYTES, 1e9, _COPY_BYTES
        ),
        "l2_gbs": _probe(
            "read_l2", blocks, 256, (Address("out"), Scalar("int32", l2_count)), 16 * l2_count * blocks, 1e9, l2_bytes
        ),
        "shared_gbs": _probe("read_shared", 8 * sms, 1024, (), 16 * ROUNDS * 1024 * 8 * sms, 1e9),
    }


def _probe(
    kernel: str, blocks: int, threads: int, arguments: tuple, work: float, unit: float, read: int | None = None
) -> _Probe:
    """`arguments` are those after the first, which is the array that is read, if there is one, or else 'out'."""
    buffers = {"out": 4096, **({"from": read, "to": read} if read else {})}
    first = Address("from" if read else "out")
    launch = Launch((threads, 1, 1), (blocks, 1, 1), kernel=kernel, arguments=(first, *arguments))
    return _Probe(Plan((launch,), buffers), work, unit)


# ---- where kernels stand


def intensities(totals: LineCounters, shape: tuple[int, int, int]) -> dict[str, float]:
    """FLOP of the product for each byte at each level, from what the emulator counted for this shape (M, N, K).

    memory: A and B read once and C written once, which is the least; L2: the sectors that loads and stores ask for,
    which the L1 cache does not lessen here; shared: the bytes that threads read and write there.
    """
    M, N, K = shape
    flop = 2 * M * N * K
    moved = {
        "memory": 4 * (M * K + K * N + M * N),
        "L2": SECTOR * (totals.global_load_sectors + totals.global_store_sectors + totals.global_atomic_sectors),
        "shared": totals.shared_load_bytes + totals.shared_store_bytes,
    }
    return {level: flop / amount for level, amount in moved.items() if amount}


def counted_intensities(
    source: str, filename: str, spec: LaunchSpec, shape: tuple[int, int, int]
) -> dict[str, float] | None:
    """Those of a kernel, counted in the emulator; None where it is not right at this shape."""
    from gemmlab.profile import profile_source

    profile = profile_source(source, filename, spec, shape)
    return intensities(profile.counters.totals, shape) if profile.verdict.passed and profile.counters else None


def ceilings_of(measured: Mapping[str, float], source: str) -> Ceilings:
    """Measured ceilings as the roofline draws them. `source` says where and when they were measured."""
    from gemmlab.views.roofline import Ceilings

    slopes: Sequence[tuple[str, float]] = [
        (level, measured[name]) for level, name in LEVELS.items() if level != "memory" and name in measured
    ]
    return Ceilings(1000 * measured["fma_tflops"], measured["copy_gbs"], source, tuple(slopes))
