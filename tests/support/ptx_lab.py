"""Small PTX functions on the emulator, through its parser, decoder and machine: text in, what the threads wrote out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gemmlab.emulator import runner
from gemmlab.emulator.code import decode
from gemmlab.emulator.code.decode import Code
from gemmlab.emulator.machine.events import KIND_NAMES
from gemmlab.emulator.ptx import parser
from gemmlab.kernel.launch import Launch

THREADS = 128
_HEAD = """.version 8.0
.target sm_80
.address_size 64
.visible .entry gemm(.param .u64 pA, .param .u64 pB, .param .u64 pC, .param .u32 M, .param .u32 N, .param .u32 K)
{
    .reg .pred %p<20>; .reg .b16 %rs<20>; .reg .b32 %r<60>; .reg .f32 %f<60>; .reg .b64 %rd<60>; .reg .f64 %fd<20>;
    ld.param.u64 %rd50, [pA]; ld.param.u64 %rd51, [pB]; ld.param.u64 %rd52, [pC]; ld.param.u32 %r50, [M];
    mov.u32 %r51, %tid.x; mov.u32 %r52, %ctaid.x; mov.u32 %r53, %ntid.x; mad.lo.s32 %r54, %r52, %r53, %r51;
    mul.wide.u32 %rd53, %r54, 8; add.s64 %rd54, %rd50, %rd53; add.s64 %rd55, %rd51, %rd53; add.s64 %rd56, %rd52, %rd53;
"""
_BITS = {"u8": 8, "s8": 8, "f16": 16, "bf16": 16, "f16x2": 32, "bf16x2": 32, "pred": 32, "tf32": 32}
_PREFIX = {16: "%rs", 32: "%r", 64: "%rd"}


def bits_of(kind: str) -> int:
    return _BITS.get(kind) or int(kind[1:])


def kernel(body: str, before: str = "") -> str:
    """A module with one kernel. %rd50 %rd51 %rd52 are A, B and C, %rd54 %rd55 %rd56 this thread's 8 bytes of each."""
    return f"{before}\n{_HEAD}\n{body}\n    ret;\n}}\n"


@dataclass(kw_only=True)
class LabRun(runner.Run):
    """A run with the code that was run."""

    code: Code


def launch(
    text: str,
    A: np.ndarray,
    B: np.ndarray,
    C: np.ndarray,
    threads: int = THREADS,
    blocks: int = 1,
    smem: int = 0,
    **options,
) -> LabRun:
    """Run it on arrays of any kind; C is changed in place. A, B and C have 8 bytes a thread or more."""
    code = decode.decode(parser.parse(text), "gemm")
    memory = runner.global_memory(code, *(array.view(np.float32) for array in (A, B, C)))
    shape = Launch((threads, 1, 1), (blocks, 1, 1), smem, False, "gemm")
    addresses = [region.address for region in memory.regions[:3]]
    run = runner.run(code, memory, shape, [*addresses, len(C), 0, 0], runner.Options(**{"threads": 1, **options}))
    return LabRun(**vars(run), code=code)


def kinds(run: runner.Run) -> list[str]:
    """The kinds of fault that a run found, by name."""
    return [KIND_NAMES[event[0]] for event in run.events]


def unsupported(run: LabRun) -> list[str]:
    return [run.code.messages[event[4]] for event in run.events if KIND_NAMES[event[0]] == "UNSUPPORTED_INSTRUCTION"]


def register(kind: str, number: int) -> str:
    return f"{_PREFIX[max(bits_of(kind), 16)]}{number}"


def compute(
    opcode: str,
    result: str,
    operands: Sequence[str],
    columns: Sequence[np.ndarray],
    old: np.ndarray,
    mask: np.ndarray,
    extra="",
) -> tuple[np.ndarray, runner.Run]:
    """`opcode d, a, b, c` for every row of `columns` (operands as uint64 bits) where `mask` is set; else `old` stays.

    `extra` is appended to the operands (an immediate). Returns the results' bits as uint64.
    """
    count = len(old)
    loads = [
        f"ld.global.b{max(bits_of(kind), 8)} {register(kind, n + 1)}, [%rd54+{8 * count * n}];"
        for n, kind in enumerate(operands)
    ]
    names = [register(kind, n + 1) for n, kind in enumerate(operands)]
    target = "%p1" if result == "pred" else register(result, 9)
    text = ", ".join([target, *names]) + extra
    size = max(bits_of(result), 8)
    keep = f"ld.global.b{size} {register(result, 9)}, [%rd54+{8 * count * len(operands)}];"
    if result == "pred":
        keep += " setp.ne.u32 %p1, %r9, 0;"
    give = "selp.u32 %r9, 1, 0, %p1;" if result == "pred" else ""
    body = "\n".join(
        [*loads, keep, "ld.global.u32 %r40, [%rd55]; setp.ne.u32 %p9, %r40, 0;", f"@%p9 {opcode} {text};", give]
        + [f"st.global.b{size} [%rd56], {register(result, 9)};"]
    )
    A = np.concatenate([*columns, old]).astype(np.uint64)
    B, C = mask.astype(np.uint64), np.zeros(count, np.uint64)
    run = launch(kernel(body), A, B, C, blocks=count // THREADS)
    return C, run
