"""A kernel's speed beside cuBLAS where there is something to win: timed so that cheating gains nothing.

gemmlab.gpu.bench times honest kernels on one pair of matrices. On a board that is an invitation. What has been tried on
public boards, and what answers it here:

- A result kept from an earlier launch, by address, by shape or by a look at some elements: every launch has new
  matrices, in another place, and what the launcher allocated is filled with NaN.
- Work left out after some launches, or in those that look like a measurement: C is made NaN before and compared after
  every launch, every element, with a product in float64. One wrong launch, and there is no time at all.
- The expected result found in memory: it is computed after the launch, from seeds, and never before.
- A verdict written over: it is sealed with a secret that no kernel sees. The parent, which drew the secrets, opens it.
- Inputs left in the cache: the matrices wander, marks that keep lines in the L2 cache are taken from them, and then
  the cache is filled with other data, before each launch.
- Work outside of the clock, on another stream or in host code: no host code of an entry is run. Its launcher is read
  once for a shape, and what it launches goes into one stream, between two events that are ours.
- Less precision than float32's: the bound of gemmlab.kernel.tolerance holds for every launch.

What is left to trust is the GPU and its driver: nothing guards against a kernel that overwrites the driver's memory.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.gpu.bench import TIME_LIMIT, WARM_UP_SECONDS, Bench
from gemmlab.gpu.child.contest import CONTESTANTS, secrets_of
from gemmlab.gpu.child.request import request_of
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.plan import Plan
from gemmlab.kernel.program import Program
from gemmlab.kernel.timing import Ratio
from gemmlab.kernel.tolerance import rounding_bound

Shape = tuple[int, int, int]
SECONDS = 0.3  # about what the timed launches of a shape take in all
_HELPERS = Path(__file__).with_name("child") / "contest.cu"
_WORD = (1 << 64) - 1


def contest(
    bench: Bench,
    program: Program,
    work: Launch | Plan,
    shape: Shape,
    *,
    seconds: float = SECONDS,
    warm_up: float = WARM_UP_SECONDS,
    progress: Callable[[float], None] | None = None,
) -> Ratio:
    """Time `work` of a program at a shape. Raises UserError where a launch fails or is wrong: then there is no time."""
    key = secrets.randbits(62)
    factor = float(rounding_bound(shape[2], np.float64(1)))
    request = request_of(program, work, shape, shape)
    request |= {"seconds": seconds, "warm_up": warm_up, "factor": factor, "key": key}
    helpers = compile_source(_HELPERS.read_text(encoding="utf-8"), _HELPERS.name, arch=bench.arch)
    files = {"contest.cubin": helpers.machine_code}
    measured = bench.ask(request, program.machine_code, TIME_LIMIT, progress, do="contest", files=files)
    return _ratio(shape, measured, key)


def sealed(secret: int, wrong: int) -> int:
    """What child/contest.cu makes of a number of wrong elements."""
    inner = secret ^ _mixed(wrong)
    return (_mixed(inner) + inner) & _WORD


def _mixed(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & _WORD
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & _WORD
    return x ^ (x >> 31)


def _ratio(shape: Shape, measured: dict, key: int) -> Ratio:
    for name in reversed(CONTESTANTS):
        _require_right(name, measured["seals"][name], secrets_of(key, name))
    ours, cublas = (np.array(measured["ms"][name], float) for name in CONTESTANTS)
    if not (len(ours) == len(cublas) == len(measured["seals"]["kernel"]) > 0 and (ours > 0).all()):
        raise UserError("the times cannot be read")
    low, ratio, high = (float(value) for value in np.percentile(cublas / ours, (10, 50, 90)))
    return Ratio(
        shape,
        float(np.median(ours)),
        float(np.median(cublas)),
        ratio,
        (low, high),
        measured["largest_error"]["kernel"],
        len(ours),
        float(np.median(measured["sm_clock_mhz"])),
    )


def _require_right(name: str, seals: list[int], known: list[int]) -> None:
    """Every seal must be that of no wrong element."""
    wrong = sum(found != sealed(secret, 0) for found, secret in zip(seals, known, strict=False))
    if not wrong:
        return
    if name == "cublas":
        raise UserError(f"cuBLAS was wrong in {wrong} of {len(seals)} launches; the GPU or its driver is broken")
    raise UserError(
        f"the result was wrong in {wrong} of {len(seals)} timed launches, each on matrices of its own; "
        "a kernel that is wrong once has no time"
    )
