"""Which kernels the model says nothing of, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from gemmlab.emulator.ptx.parser import Function, Instruction, parse
from gemmlab.model import sass, tensor
from gemmlab.model.flow import Flow
from gemmlab.model.machines import Machine
from gemmlab.model.sample import NotCounted, Sampled

_MOST_LOCAL = 0.05  # of all instructions may be accesses to local memory
_MOST_STRONG = 0.05  # of the accesses to global memory may be volatile
_CLOCK = re.compile(r"%clock|%globaltimer|vprintf")
_REGISTER = re.compile(r"%[A-Za-z]+\d+")


def require_known(code: Sequence[sass.Instruction], ptx: str, symbol: str, block: Sampled, machine: Machine) -> None:
    """Raise NotCounted, with a sentence, for what the model does not know."""
    ran = {line for line, counted in block.lines.items() if counted.instructions}
    if any(one.unit == sass.TENSOR and one.ptx in ran for one in code) and not tensor.known(machine):
        raise NotCounted("It multiplies on tensor cores, and nobody recorded how fast those of this GPU are.")
    if asks_for_time(ptx, symbol) & ran:
        raise NotCounted("It sleeps, prints or reads a clock, and the model does not know how long that takes.")
    if branches_on_data(ptx, symbol):
        raise NotCounted("Which way it goes depends on what it read from memory, and the model ran it on zeros.")


def require_little_local(code: Sequence[sass.Instruction], flows: Flow) -> None:
    """Raise NotCounted where much of what a warp runs goes to local memory: spilled registers, arrays of a thread."""
    local = total = 0.0
    for count, block in zip(flows.counts, flows.blocks):
        total += count * (block.end - block.start)
        local += count * sum(one.unit == sass.LOCAL for one in code[block.start : block.end])
    if local > _MOST_LOCAL * total:
        raise NotCounted("It keeps much of its data in local memory, whose time the model does not know.")


def require_few_strong(code: Sequence[sass.Instruction], flows: Flow) -> None:
    """Raise NotCounted where many accesses are such that others must see each at once: no constant of a GPU says how
    long a load waits for the store before it."""
    strong = total = 0.0
    for count, block in zip(flows.counts, flows.blocks):
        accesses = [one for one in code[block.start : block.end] if one.base in (sass.LDG, sass.STG)]
        total += count * len(accesses)
        strong += count * sum(one.strong for one in accesses)
    if strong > _MOST_STRONG * total:
        raise NotCounted("It reads and writes volatile memory often, and the model does not know how long that takes.")


@lru_cache(maxsize=64)
def asks_for_time(ptx: str, symbol: str) -> frozenset[int]:
    """The lines of the PTX that sleep, print, or read a clock."""
    function = parse(ptx).functions.get(symbol)
    found = function.instructions if function is not None else []
    return frozenset(
        one.location.ptx for one in found if one.opcode.startswith("nanosleep") or _CLOCK.search(" ".join(one.operands))
    )


@lru_cache(maxsize=64)
def branches_on_data(ptx: str, symbol: str) -> bool:
    """Whether a jump of the kernel hangs on a value that it loaded, other than an argument."""
    function = parse(ptx).functions.get(symbol)
    if function is None:
        return False
    loaded = _from_memory(function)
    return any(one.opcode.startswith("bra") and one.guard in loaded for one in function.instructions)


def _from_memory(function: Function) -> set[str]:
    """The registers that hold, or are made of, what was read from memory."""
    found: set[str] = set()
    before = -1
    while len(found) != before:
        before = len(found)
        for one in function.instructions:
            targets, sources = _split(one)
            if _is_read(one) or found & sources:
                found |= targets
    return found


def _is_read(one: Instruction) -> bool:
    return one.opcode.startswith(("ld.", "atom", "ldmatrix")) and not one.opcode.startswith(("ld.param", "ld.const"))


def _split(one: Instruction) -> tuple[set[str], set[str]]:
    """The registers that an instruction sets, and those that it takes."""
    if not one.operands or one.opcode.startswith(("st.", "red.", "bra", "bar", "cp.")):
        return set(), set()
    head, *rest = one.operands
    sources = set(_REGISTER.findall(" ".join(rest)))
    return set(_REGISTER.findall(head)), sources if not _is_read(one) else set()
