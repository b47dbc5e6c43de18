"""The ceilings of this machine's GPU as measured.

Every ceiling is what a kernel of device/ceilings.cu reached, or cudaMemcpy, never a figure from a data sheet:

- fma_tflops: float32 multiply-adds, independent of each other, in registers;
- float16_tflops, tf32_tflops: what mma.sync makes of fragments in registers, on GPUs that have it, sums in float32;
- copy_gbs: a copy within the GPU's memory, bytes read and bytes written counted;
- l2_gbs: reads of a buffer that fits into the L2 cache, past the L1 cache;
- shared_gbs: reads of 16 bytes a thread from shared memory, without bank conflicts, all SMs together.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.kernel.launch import Address, Launch, Scalar
from gemmlab.kernel.plan import Copy, Plan

if TYPE_CHECKING:
    from gemmlab.gpu.bench import Bench

_KERNELS = Path(__file__).with_name("child") / "ceilings.cu"

CHAINS, ROUNDS = 8, 2048  # as in ceilings.cu
_TENSOR = {"float16_tflops": ("float16_products", 16 * 8 * 16), "tf32_tflops": ("tf32_products", 16 * 8 * 8)}
_TENSOR_ROUNDS = 1024  # of CHAINS products a warp
_FIRST_WITH_TF32 = 80  # compute capability
_BLOCKS_A_SM = 16
_COPY_BYTES = 2**30  # read, and as many written: several times any L2 cache
_OUT = {"out": 4096}  # what a kernel would write if it wrote
_L2_PART = 3  # of the L2 cache is not more than one read
_L2_READS = 2048


def measure_ceilings(bench: Bench) -> dict[str, float]:
    """The ceilings by name, as in the module, and `sm_clock_mhz` beside the multiply-adds. It takes some seconds."""
    program = compile_source(_KERNELS.read_text(encoding="utf-8"), _KERNELS.name, arch=bench.arch)
    found: dict[str, float] = {}
    probes = _probes(bench.sms, bench.l2_bytes)
    if int(re.sub(r"\D", "", bench.arch)) >= _FIRST_WITH_TF32:
        probes += _tensor_probes(bench.sms)
    for name, probe in probes:
        ms, clock = bench.spans(program, probe.plan)
        reached = round(probe.work / (1e-3 * float(np.median(ms))) / probe.unit, 2)
        found[name] = max(reached, found.get(name, 0.0))
        if name == "fma_tflops":
            found["sm_clock_mhz"] = round(clock)
    return found


@dataclass(frozen=True)
class _Probe:
    """A launch, the operations or bytes that it stands for, and how many of them a second are one unit."""

    plan: Plan
    work: float
    unit: float


def _probes(sms: int, l2_bytes: int) -> list[tuple[str, _Probe]]:
    """By the name of the ceiling; of several with one name the best counts."""
    blocks = _BLOCKS_A_SM * sms
    l2_blocks, piece = 8 * sms, _piece(l2_bytes // _L2_PART // (8 * sms) // 16)
    l2_buffers = {"from": 16 * piece * l2_blocks} | _OUT
    l2_sizes, l2_work = (Scalar("int32", piece - 1), Scalar("int32", _L2_READS)), 16 * _L2_READS * 256 * l2_blocks
    copied = {"from": _COPY_BYTES, "to": _COPY_BYTES}
    fma_work, shared_work = 2 * CHAINS * ROUNDS * 256 * blocks, 16 * ROUNDS * 1024 * 8 * sms
    memcpy = Plan((Copy(Address("to"), Address("from"), _COPY_BYTES),), copied)
    return [
        ("fma_tflops", _probe("multiply_add", blocks, 256, _OUT, fma_work, 1e12, Scalar("float32", 1e-9))),
        ("copy_gbs", _probe("copy", blocks, 512, copied, 2 * _COPY_BYTES, 1e9, Scalar("int64", _COPY_BYTES // 16))),
        ("copy_gbs", _Probe(memcpy, 2 * _COPY_BYTES, 1e9)),
        ("l2_gbs", _probe("read_l2", l2_blocks, 256, l2_buffers, l2_work, 1e9, *l2_sizes)),
        ("shared_gbs", _probe("read_shared", 8 * sms, 1024, _OUT, shared_work, 1e9)),
    ]


def _tensor_probes(sms: int) -> list[tuple[str, _Probe]]:
    warps, rounds = 16 * sms, Scalar("int32", _TENSOR_ROUNDS)
    return [
        (name, _probe(kernel, sms, 512, _OUT, 2 * fma * CHAINS * _TENSOR_ROUNDS * warps, 1e12, rounds))
        for name, (kernel, fma) in _TENSOR.items()
    ]


def _piece(most: int) -> int:
    """The largest power of two up to `most`, but at least 256: a place for each thread of a block."""
    return max(256, 2 ** (max(most, 1).bit_length() - 1))


def _probe(
    kernel: str, blocks: int, threads: int, buffers: dict[str, int], work: float, unit: float, *more: Scalar
) -> _Probe:
    """A launch with its buffers (sizes in bytes) as the first arguments, and `more` after them."""
    arguments: tuple[Address | Scalar, ...] = (*map(Address, buffers), *more)
    launch = Launch((threads, 1, 1), (blocks, 1, 1), kernel=kernel, arguments=arguments)
    return _Probe(Plan((launch,), buffers), work, unit)
