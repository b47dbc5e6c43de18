"""A kernel's speed on this machine's GPU, beside cuBLAS on the same matrices in the same process.

How it is measured:

- Kernel and cuBLAS take turns, in pairs, the order alternating. Both multiply the same random A and B in [-1, 1) and
  both are launched from Python into one stream. cuBLAS takes what the kernel takes: float32 with TF32
  off, or TF32, or float16 or bfloat16; its sums and C are float32 in any case.
- Launches are queued in batches behind a kernel that waits until the whole batch is queued: the time that Python takes
  to launch is in no measurement. CUDA events around a launch give its time. They add about 2 µs to both sides.
- Cold: before each launch a fill of four times the L2 cache drives A and B out of it. Warm: they are where the launch
  before left them. The fill is not timed.
- C is made NaN before every timed launch and compared after it, each element, with a product in float64. A kernel that
  is wrong once has no speed.
- Half a second of untimed launches goes before, so that the clocks are up. The SM clock is read after each batch, in
  cycles a microsecond.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from gemmlab.compiler.compile import compile_source
from gemmlab.errors import UserError
from gemmlab.gpu.child.faults import explained
from gemmlab.gpu.child.process import COMMAND, ChildDied, ChildTimeout, CudaError, GpuProcess
from gemmlab.gpu.child.request import request_of
from gemmlab.kernel.elements import FLOAT32, Element, element_named
from gemmlab.kernel.launch import Address, Launch
from gemmlab.kernel.plan import Plan, element_of, launches_of
from gemmlab.kernel.program import Program
from gemmlab.kernel.terms import STEEPEST_SILU
from gemmlab.kernel.timing import MATH_MODES, Timing, Warm
from gemmlab.kernel.tolerance import UNIT_ROUNDOFF, rounding_bound

Shape = tuple[int, int, int]
SILU_ROUNDINGS = 14  # of the sum and of SiLU, of |A|·|B| + |bias|: see gemmlab.kernel.terms
TIME_LIMIT = 10.0  # seconds for the first launch of a kernel
MEASURE_SECONDS = 2.0
WARM_UP_SECONDS = 0.5  # enough for an idle GPU to raise its clocks
_HELPERS = Path(__file__).with_name("child") / "bench.cu"


class Bench:
    """One GPU process that times kernel after kernel; matrices are kept while the shape stays. Close it in the end."""

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._worker: GpuProcess | None = None

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._worker:
            self._worker.close()
        self._worker = None

    @property
    def arch(self) -> str:
        """What to compile for, as in 'sm_90'. Raises UserError where there is no GPU that can be used."""
        return self._ready().hello["arch"]

    @property
    def gpu(self) -> str:
        return self._ready().hello["name"]

    @property
    def sms(self) -> int:
        """How many multiprocessors the GPU has."""
        return self._ready().hello["sms"]

    @property
    def l2_bytes(self) -> int:
        return self._ready().hello["l2_bytes"]

    def time(
        self,
        program: Program,
        work: Launch | Plan,
        shape: Shape,
        *,
        seconds: float = MEASURE_SECONDS,
        warm_up: float = WARM_UP_SECONDS,
        time_limit: float = TIME_LIMIT,
        progress: Callable[[float], None] | None = None,
        draw: int = 0,
    ) -> Timing:
        """Time one kernel; `seconds` is about what the timed launches take in all, and `warm_up` those
        before them. `draw` chooses A and B. A kernel that is given a bias is to make silu(A·B + bias), and
        beside it stand cuBLAS and two kernels of CuPy's, which do the same one after the other.

        Raises UserError where the kernel fails or is wrong, or where memory or cuBLAS is missing.
        """
        element = element_of(work)
        factor = float(rounding_bound(shape[2], np.float64(1), element))
        epilogue = any(Address("bias") in (launch.arguments or ()) for launch in launches_of(work))
        if epilogue:
            factor = STEEPEST_SILU * factor + SILU_ROUNDINGS * UNIT_ROUNDOFF
        request = request_of(program, work, shape, shape)
        request |= {"seconds": seconds, "warm_up": warm_up, "factor": factor, "draw": draw, "epilogue": epilogue}
        return _timing(shape, self.ask(request, program.machine_code, time_limit, progress), self.gpu, element)

    def ask(
        self,
        request: dict,
        code: bytes,
        time_limit: float,
        progress: Callable[[float], None] | None = None,
        do: str = "time",
        files: Mapping[str, bytes] | None = None,
    ) -> dict:
        """What the worker measures by the rules of `do`; `files` are put into its folder first. UserError as `time`."""
        worker = self._ready()
        for name, content in (files or {}).items():
            worker.put(name, content)
        return self._ask(request, lambda worker: worker.time(request, code, time_limit, progress, do))

    def cold(self, request: dict, code: bytes, *, seconds: float, fewest: int, most: int) -> tuple[list[float], float]:
        """Milliseconds of each launch with cold caches and without cuBLAS beside it, and the SM clock in MHz.

        The `request` is one of request_of. As many launches are timed as fit into `seconds`, within `fewest` and
        `most`. Raises UserError where the kernel fails or its first C is wrong.
        """
        factor = float(rounding_bound(request["shape"][2], np.float64(1), element_named(request["dtype"])))
        more = {"draw": 0, "factor": factor, "seconds": seconds, "fewest": fewest, "most": most}
        measured = self.ask({**request, **more}, code, TIME_LIMIT, do="cold")
        if measured["wrong"]:
            raise UserError(f"{measured['wrong']} elements of C are wrong, and a kernel that is wrong has no time")
        return measured["ms"], measured["sm_clock_mhz"]

    def spans(self, program: Program, plan: Plan, repeats: int = 20, cold: bool = False) -> tuple[list[float], float]:
        """Milliseconds of each launch of a plan on buffers of its own, and the SM clock in MHz. `cold`: the L2 cache is
        filled with other data before each launch."""
        request = request_of(program, plan, (0, 0, 0), (0, 0, 0)) | {"repeats": repeats, "cold": cold}
        measured = self._ask(request, lambda worker: worker.spans(request, program.machine_code))
        return measured["ms"], measured["sm_clock_mhz"]

    def _ask(self, request: dict, ask: Callable[[GpuProcess], dict]) -> dict:
        """The worker's answer. After any fault the worker is dropped: its context cannot be trusted any more."""
        worker = self._ready()
        try:
            return ask(worker)
        except (ChildTimeout, ChildDied, CudaError) as error:
            self.close()
            raise UserError(f"the kernel cannot be timed: {explained(error, worker, request, TIME_LIMIT)}") from None
        except BaseException:  # an interrupt leaves the worker out of step
            self.close()
            raise

    def _ready(self) -> GpuProcess:
        if self._worker is None:
            worker = GpuProcess(self._command)
            helpers = compile_source(_HELPERS.read_text(encoding="utf-8"), _HELPERS.name, arch=worker.hello["arch"])
            worker.put("bench.cubin", helpers.machine_code)
            self._worker = worker
        return self._worker


def time_kernel(program: Program, work: Launch | Plan, shape: Shape, time_limit: float = TIME_LIMIT) -> Timing:
    """Time a kernel that has passed its check, in a process of its own. It takes some 5 seconds.

    Raises UserError where the kernel fails or is wrong, where memory or cuBLAS is missing, or where there is no GPU.
    """
    with Bench() as bench:
        return bench.time(program, work, shape, time_limit=time_limit)


def _timing(shape: Shape, measured: dict, gpu: str, element: Element) -> Timing:
    _require_right(measured)
    ours, cublas, ratios = _medians(measured, "cold")
    low, ratio, high = (float(value) for value in np.percentile(ratios, (10, 50, 90)))
    warm_ours, warm_cublas, warm_ratios = _medians(measured, "warm")
    rate = 2e-6 * shape[0] * shape[1] * shape[2]  # GFLOPS of a launch of 1 ms
    return Timing(
        shape,
        ours,
        cublas,
        rate / ours,
        rate / cublas,
        ratio,
        (low, high),
        measured["largest_error"]["kernel"],
        len(ratios),
        gpu,
        Warm(rate / warm_ours, rate / warm_cublas, float(np.median(warm_ratios))),
        float(np.median(measured["sm_clock_mhz"])),
        _math_mode(measured["math_mode"], element),
    )


def _math_mode(mode: int, element: Element) -> str:
    """What cuBLAS computed in."""
    if element.size < FLOAT32.size:
        return f"{element.name}, sums in float32"
    return MATH_MODES.get(mode, f"cuBLAS math mode {mode}")


def _medians(measured: dict, cache: str) -> tuple[float, float, np.ndarray]:
    """Median milliseconds of the kernel and of cuBLAS, and the ratio of every pair."""
    ours, cublas = (np.array(measured[f"{name}_{cache}_ms"]) for name in ("kernel", "cublas"))
    return float(np.median(ours)), float(np.median(cublas)), cublas / ours


def _require_right(measured: dict) -> None:
    wrong = measured["wrong_launches"]
    launches = 2 * len(measured["kernel_cold_ms"])
    if wrong["cublas"]:
        raise UserError(
            f"cuBLAS was wrong in {wrong['cublas']} of {launches} launches; the GPU or its driver is broken"
        )
    if wrong["kernel"]:
        raise UserError(
            f"the kernel was wrong in {wrong['kernel']} of {launches} timed launches; check it in the emulator first"
        )
