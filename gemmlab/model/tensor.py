"""Tensor cores: which machine code an instruction of the PTX becomes, and how long it keeps a tensor core busy.

The emulator takes an instruction of a whole warp apart in its own way: into a request for each register, or two where
it holds numbers of two rows. The assembler makes one LDSM of it where it can, else a load for each register and a MOVM
where the matrix is to be turned. So their counts are made those of the machine code, before anything else reads them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gemmlab.kernel.counters import LineCounters, Touched
from gemmlab.kernel.limits import SM_PARTITIONS
from gemmlab.kernel.warp import SECTOR_BYTES
from gemmlab.model import sass
from gemmlab.model.machines import Machine
from gemmlab.model.sample import NotCounted, Sampled
from gemmlab.model.sass import Instruction

# By the k of an HMMA, which multiplies 16×k by k×8, and whether it is of TF32: the constant of its rate, and the
# registers that it reads from each of the two banks.
_RATES = {
    (16, False): ("mma_half_rate", (5, 5)),
    (8, False): ("mma_half_k8_rate", (4, 3)),
    (8, True): ("mma_tf32_rate", (5, 5)),
    (4, True): ("mma_tf32_k4_rate", (4, 3)),
}
_REGISTERS = 4  # of a fragment whose elements lie in memory once
_MATRICES = 4  # that an LDSM of a fragment reads, a pass through the banks each
_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\.")
_WMMA_SHAPES = ("m16n16k16", "m16n16k8")
_LD, _ST = 0x180, 0x185  # by an address of any memory
_OUTSIDE = "It multiplies fragments of a shape that the model was not shown."


@dataclass(frozen=True)
class _Whole:
    """An instruction of the PTX that is done by a warp as a whole: how many requests the emulator makes of it, and how
    many instructions the assembler, LDSM aside."""

    requests: int
    pieces: int


def known(machine: Machine) -> bool:
    """Whether the constants of the GPU say what tensor cores take."""
    wanted = (*(name for name, _ in _RATES.values()), "ldmatrix_latency", "ldmatrix_mma_4_rate")
    return all(name in machine.constants for name in wanted)


def cycles(one: Instruction, machine: Machine) -> float:
    """How long the product keeps the tensor core of its scheduler busy."""
    return SM_PARTITIONS / machine[_rate(one)[0]]


def read_latency(machine: Machine) -> float:
    """Cycles from the end of an LDSM's passes to its result."""
    return machine["ldmatrix_latency"] - _MATRICES


def held(one: Instruction, machine: Machine) -> float:
    """How long what a read of shared memory puts into the registers keeps the tensor core waiting: measured with LDSM,
    of which each writes four, and taken to be the same for each register of other reads."""
    if one.base not in (sass.LDSM, sass.LDS) or not known(machine):
        return 0.0
    together, alone = SM_PARTITIONS / machine["ldmatrix_mma_4_rate"], 4 * SM_PARTITIONS / machine["mma_half_rate"]
    written = _MATRICES if one.base == sass.LDSM else max(1, one.width // 4)
    return max(0.0, together - alone) / _MATRICES * written


def registers(one: Instruction) -> tuple[int, int]:
    """How many registers it reads from each of the two banks."""
    return _rate(one)[1]


def _rate(one: Instruction) -> tuple[str, tuple[int, int]]:
    found = _RATES.get(one.product) if one.product else None
    if found is None:
        raise NotCounted("It multiplies on tensor cores in a way whose time the model does not know.")
    return found


def in_machine_code(block: Sampled, code: Sequence[Instruction], ptx: str) -> tuple[Sampled, tuple[Instruction, ...]]:
    """The block's counts and its code, where whole warps multiply: each line counts what its machine instructions do,
    and accesses by a generic address are of the memory that they reached. Raises NotCounted for unknown shapes."""
    text = ptx.split("\n")
    whole = {line: found for line in block.lines if (found := _whole(_opcode(text, line)))}
    if not whole and not any(one.unit == sass.TENSOR for one in code):
        return block, tuple(code)
    bases: dict[int, set[int]] = defaultdict(set)
    for one in code:
        bases[one.ptx].add(one.base)
    lines = {
        line: _counted(counted, whole[line], bases[line]) if line in whole else counted
        for line, counted in block.lines.items()
    } | {line: _products(block.lines[line], _opcode(text, line), code) for line in _multiplying(text, block)}
    lines |= {line: _one_request(block.lines[line]) for line in block.lines if "matrix." in _opcode(text, line)}
    touched = {line: _touched(one, lines[line], whole.get(line)) for line, one in block.touched.items()}
    return replace(block, lines=lines, touched=touched), tuple(_settled(one, lines) for one in code)


def _opcode(text: list[str], line: int) -> str:
    words = text[line - 1].split() if 0 < line <= len(text) else []
    return next((word for word in words if not word.startswith("@")), "")


def _whole(opcode: str) -> _Whole | None:
    """wmma.load and wmma.store; numbers of 16 bits of two rows lie in one register, so that each is asked for."""
    if not opcode.startswith(("wmma.load", "wmma.store")):
        return None
    words = opcode.split(".")
    if not any(shape in words for shape in _WMMA_SHAPES):
        raise NotCounted(_OUTSIDE)
    turned = (words[2], "row" in words) in (("a", False), ("b", True), ("c", False), ("d", False))
    narrow = words[-1] in ("f16", "bf16")
    if words[2] in "cd":
        if narrow:
            raise NotCounted(_OUTSIDE)
        return _Whole(2 * _REGISTERS, 2 * _REGISTERS) if turned else _Whole(_REGISTERS, _REGISTERS)
    return _Whole(_REGISTERS * (2 if turned and narrow else 1), _REGISTERS)


def _counted(counted: LineCounters, whole: _Whole, bases: set[int]) -> LineCounters:
    """What the machine instructions of one wmma.load or wmma.store do."""
    asked = counted.global_load_requests + counted.global_store_requests
    asked += counted.shared_load_requests + counted.shared_store_requests
    runs = asked // whole.requests
    one_read = sass.LDSM in bases
    pieces = 1 if one_read else whole.pieces
    new: dict[str, int] = {"instructions": runs * pieces}
    for name in ("global_load_requests", "global_store_requests"):
        new[name] = getattr(counted, name) * pieces // whole.requests
    for kind in ("shared", "widened"):
        for way in ("load", "store"):
            new[f"{kind}_{way}_requests"] = getattr(counted, f"{kind}_{way}_requests") * pieces // whole.requests
            passes = getattr(counted, f"{kind}_{way}_wavefronts")
            new[f"{kind}_{way}_wavefronts"] = passes * (_MATRICES if one_read else pieces) // whole.requests
    return replace(counted, **new)


def _one_request(counted: LineCounters) -> LineCounters:
    """ldmatrix and stmatrix, which the emulator spreads over the lanes by further steps."""
    requests = counted.shared_load_requests + counted.shared_store_requests
    return replace(counted, instructions=requests) if requests else counted


def _multiplying(text: list[str], block: Sampled) -> list[int]:
    return [line for line in block.lines if _opcode(text, line).startswith(("wmma.mma", "mma.sync"))]


def _products(counted: LineCounters, opcode: str, code: Sequence[Instruction]) -> LineCounters:
    """A product, which the assembler may have made several of."""
    shape = _SHAPE.search(opcode)
    sizes = {one.product[0] for one in code if one.product}
    if shape is None or len(sizes) != 1:
        raise NotCounted(_OUTSIDE)
    m, n, k = map(int, shape.groups())
    return replace(counted, instructions=counted.instructions * max(1, m * n * k // (16 * 8 * sizes.pop())))


def _touched(one: Touched, counted: LineCounters, whole: _Whole | None) -> Touched:
    """What a fragment asks for comes by several requests that go together: none of them is there before another."""
    if whole is None or not counted.global_load_requests:
        return one
    words = counted.global_load_sectors / counted.global_load_requests * SECTOR_BYTES / 4
    return replace(one, words=words, in_a_bank=one.in_a_bank * whole.requests // whole.pieces)


def _settled(one: Instruction, lines: dict[int, LineCounters]) -> Instruction:
    """An access by a generic address that was one of shared memory is one of shared memory."""
    counted = lines.get(one.ptx)
    if one.base not in (_LD, _ST) or counted is None:
        return one
    shared = counted.shared_load_requests + counted.shared_store_requests
    if shared and not counted.global_load_requests + counted.global_store_requests:
        return replace(one, unit=sass.SHARED, base=sass.STS if one.base == _ST else sass.LDS)
    return one
