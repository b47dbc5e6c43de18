"""What each thread of one block does to memory, access by access, as the emulator runs the compiled kernel.

The compiled code is given further instructions that write down, thread by thread, every load, store and copy with its
address and value, and every barrier. It then runs as any other code does. The kernel's own instructions stay as they
are, and in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.limits import WARP

if TYPE_CHECKING:
    from gemmlab.emulator.ptx.parser import Function, Instruction
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

LOAD, STORE, COPY, BARRIER = "load", "store", "copy", "barrier"
COMMIT, WAIT = "commit", "wait"  # of asynchronous copies; written down only where they are asked for
_BUFFER = "gemmlab_trace"
_MOST_BYTES = 1 << 25
_WORDS = 4  # 32-bit words of an access that are kept
_RECORD = np.dtype([("site", np.uint64), ("address", np.uint64), ("words", np.uint32, _WORDS), ("from", np.uint64)])
_SPACES = {"global": "global", "shared": "shared", "shared::cta": "shared"}
_VECTORS = {"v2": 2, "v4": 4}


@dataclass(frozen=True)
class Site:
    """An instruction that was watched. An access is of `count` elements of `size` bytes each; a wait is for all groups
    of copies but the `count` newest."""

    kind: str
    line: int
    size: int = 0
    count: int = 0


@dataclass(frozen=True)
class Place:
    """Where an access went: bytes from the start of an array, None where it is outside of all of them."""

    array: str | None
    offset: int = 0


@dataclass(frozen=True)
class Access:
    """One access of a thread. `words` are the 32-bit words that it carried; a copy tells `source` instead, and how
    many bytes of it are taken; the others of the copy are 0."""

    site: Site
    place: Place
    words: tuple[int, ...] = ()
    source: Place | None = None
    taken: int = 0


@dataclass(frozen=True)
class Trace:
    """What the threads of a block wrote down: a row of records each, the sites that these name (from 1), and where
    addresses lie."""

    records: np.ndarray
    sites: list[Site]
    places: _Places

    def __len__(self) -> int:
        return len(self.records)

    @property
    def warps(self) -> int:
        return -(-len(self) // WARP)

    def of(self, thread: int) -> list[Access]:
        """The accesses and barriers of one thread, in its own order."""
        row = self.records[thread]
        return [self._access(*record) for record in row[: np.argmin(row["site"])].tolist()]

    def _access(self, number: int, address: int, words: list[int], source: int) -> Access:
        site = self.sites[number - 1]
        if site.kind == BARRIER:
            return Access(site, Place(None))
        place = self.places.find(address)
        if site.kind == COPY:
            return Access(site, place, source=self.places.find(source), taken=words[0])
        return Access(site, place, tuple(words[: -(-site.size * site.count // 4)]))


def overlapping_intervals(program: Program, launch: Launch, shape: tuple[int, int, int]) -> int:
    """In how many intervals between two barriers some thread of block 0 reads shared memory while asynchronous copies
    of its own are under way.

    UserError as for `trace_block`.
    """
    M, N, K = shape
    A, B = np.zeros((M, K), np.float32), np.zeros((K, N), np.float32)
    trace = trace_block(program, launch, shape, 0, A, B, waits=True)
    in_shared = ~trace.places.are_global(trace.records["address"])
    threads = zip(trace.records["site"].tolist(), in_shared.tolist(), strict=True)
    return len(set[int]().union(*(_overlaps(numbers, near, trace.sites) for numbers, near in threads)))


def _overlaps(numbers: Sequence[int], near: Sequence[bool], sites: Sequence[Site]) -> set[int]:
    """The intervals in which a thread reads shared memory while copies of its own are under way. `numbers` are those of
    its records' sites, from 1, with 0 behind the last; `near` says which accesses go to shared memory."""
    found, interval, started = set(), 0, 0  # started: copies that belong to no group yet
    groups: list[int] = []  # copies of each group that nobody has waited for
    for number, is_near in zip(numbers, near, strict=True):
        if not number:
            break
        site = sites[number - 1]
        if site.kind == BARRIER:
            interval += 1
        elif site.kind == COPY:
            started += 1
        elif site.kind == COMMIT:
            groups, started = [*groups, started], 0
        elif site.kind == WAIT:
            groups = groups[max(0, len(groups) - site.count) :]
        elif site.kind == LOAD and is_near and (started or any(groups)):
            found.add(interval)
    return found


def trace_block(
    program: Program,
    launch: Launch,
    shape: tuple[int, int, int],
    block: int,
    A: np.ndarray,
    B: np.ndarray,
    waits: bool = False,
) -> Trace:
    """The accesses and barriers of the threads of the block with this linear number; with `waits` also where groups of
    copies are closed and waited for.

    A (M×K) and B (K×N) hold numbers of the launch's element.

    UserError for a kernel that the emulator cannot read, and where there is too much
    to write down.
    """
    from gemmlab.emulator import runner
    from gemmlab.emulator.code import decode
    from gemmlab.emulator.ptx import parser

    symbol, threads = program.symbol(launch.kernel), prod(launch.block)
    try:
        module = parser.parse(program.ptx)
        watched = _Watched(module.functions[symbol], waits)
        capacity = _MOST_BYTES // (threads * _RECORD.itemsize)
        buffer = parser.Variable(_BUFFER, "global", threads * capacity * _RECORD.itemsize, 16)
        functions = {**module.functions, symbol: watched.function(capacity)}
        code = decode.decode(replace(module, functions=functions, variables=[*module.variables, buffer]), symbol)
    except (parser.PtxError, decode.Unsupported) as reason:
        raise UserError(f"the emulator cannot read this kernel: {reason}") from None
    M, N, K = shape
    memory = runner.global_memory(code, *launch.layout.stored(A, B), np.full((M, N), np.nan, np.float32))
    arguments = [region.address for region in memory.regions[:3]] + [M, N, K]
    runner.run(code, memory, launch, arguments, runner.Options(checks=False, blocks=[block]))
    number = [region.name for region in memory.regions].index(_BUFFER)
    records = memory.arrays[number].view(_RECORD).reshape(threads, capacity)
    if records["site"][:, -1].any():
        raise UserError("there is too much to follow; take a smaller K")
    return Trace(records, watched.sites, _Places(code, memory))


class _Places:
    """Addresses as the kernel has them -> arrays."""

    def __init__(self, code, memory) -> None:
        from gemmlab.emulator.machine import opcodes as o
        from gemmlab.emulator.report.findings import plain_name

        ranges = [(region.address, region.size, region.name) for region in memory.regions]
        for region in code.shared:
            size = region.size or o.WINDOW_CENTRE
            ranges += [(base + region.address, size, region.name) for base in (0, o.SHARED_WINDOW)]
        self._ranges = [(start, start + size, plain_name(name)) for start, size, name in ranges]
        self._global = [(region.address, region.address + region.size) for region in memory.regions]

    def are_global(self, addresses: np.ndarray) -> np.ndarray:
        """Which of them lie in global memory."""
        return np.any([(start <= addresses) & (addresses < end) for start, end in self._global], axis=0)

    def find(self, address: int) -> Place:
        for start, end, name in self._ranges:
            if start <= address < end:
                return Place(name, address - start)
        return Place(None)


class _Watched:
    """A function with its accesses and barriers written down as they happen, and with `waits` those for copies."""

    def __init__(self, function: Function, waits: bool = False) -> None:
        self._function, self._waits = function, waits
        self.sites: list[Site] = []

    def function(self, capacity: int) -> Function:
        """The function with records of its own for each thread, `capacity` of them."""
        old = self._function
        code, moved = _prologue(capacity), {}
        for number, instruction in enumerate(old.instructions):
            moved[number] = len(code)
            code += self._with_record(instruction)
        moved[len(old.instructions)] = len(code)
        return replace(
            old,
            registers={**old.registers, **_REGISTERS},
            instructions=code,
            labels={name: moved[at] for name, at in old.labels.items()},
            not_unrolled={moved[at] for at in old.not_unrolled},
        )

    def _with_record(self, instruction: Instruction) -> list[Instruction]:
        site = _site(instruction) or (_site_of_wait(instruction) if self._waits else None)
        if site is None:
            return [instruction]
        self.sites.append(site)
        before = _guard(instruction)
        if site.kind in (BARRIER, COMMIT, WAIT):
            return before + _record(len(self.sites), []) + [instruction]
        operands = instruction.operands
        if site.kind == COPY:
            taken = operands[3] if len(operands) > 3 else operands[2]
            before += self._address("%gl_to", operands[0]) + self._address("%gl_from", operands[1])
            more = [_store("u64", 32, "%gl_from"), *_number("%gl_size", taken), _store("u32", 16, "%gl_size")]
            return before + _record(len(self.sites), more) + [instruction]
        address, value = operands if site.kind == STORE else operands[::-1]
        before += self._address("%gl_to", address)
        element = instruction.opcode.split(".")[-1]
        values = [part.strip() for part in value.strip("{}").split(",")]
        more = [_store(element, 16 + site.size * place, part) for place, part in enumerate(values)]
        if site.kind == LOAD:
            return before + [instruction] + _record(len(self.sites), more)
        return before + _record(len(self.sites), more) + [instruction]

    def _address(self, register: str, operand: str) -> list[Instruction]:
        """The address operand's value: [%rd1+4], [%r2] or [As+64]."""
        base, _, offset = operand.strip()[1:-1].strip().partition("+")
        is_32_bits = base.startswith("%") and (self._function.register_type(base) or "").endswith("32")
        code = _make("cvt.u64.u32" if is_32_bits else "mov.u64", register, base)
        return [code, _make("add.s64", register, register, offset)] if offset else [code]


_REGISTERS = {
    "%gl_at": "b64",
    "%gl_end": "b64",
    "%gl_site": "b64",
    "%gl_to": "b64",
    "%gl_from": "b64",
    "%gl_size": "b32",
    "%gl_tid": "b32",
    "%gl_side": "b32",
    "%gl_there": "b32",
    "%gl_go": "pred",
    "%gl_not": "pred",
}


def _make(opcode: str, *operands: str, guarded: bool = False) -> Instruction:
    from gemmlab.emulator.ptx.parser import Instruction, Location

    return Instruction(opcode, operands, "%gl_go" if guarded else None, False, Location())


def _prologue(capacity: int) -> list[Instruction]:
    """Where the records of this thread begin and end."""
    size = capacity * _RECORD.itemsize
    return [
        _make("mov.u32", "%gl_tid", "%tid.z"),
        _make("mov.u32", "%gl_side", "%ntid.y"),
        _make("mov.u32", "%gl_there", "%tid.y"),
        _make("mad.lo.s32", "%gl_tid", "%gl_tid", "%gl_side", "%gl_there"),
        _make("mov.u32", "%gl_side", "%ntid.x"),
        _make("mov.u32", "%gl_there", "%tid.x"),
        _make("mad.lo.s32", "%gl_tid", "%gl_tid", "%gl_side", "%gl_there"),
        _make("mov.u64", "%gl_at", _BUFFER),
        _make("mul.wide.u32", "%gl_site", "%gl_tid", str(size)),
        _make("add.s64", "%gl_at", "%gl_at", "%gl_site"),
        _make("add.s64", "%gl_end", "%gl_at", str(size)),
    ]


def _guard(instruction: Instruction) -> list[Instruction]:
    """Set %gl_go: the instruction is carried out, and there is room for a record."""
    code = [_make("setp.lt.u64", "%gl_go", "%gl_at", "%gl_end")]
    if instruction.guard is None:
        return code
    if instruction.guard_negated:
        code += [_make("not.pred", "%gl_not", instruction.guard), _make("and.pred", "%gl_go", "%gl_go", "%gl_not")]
    else:
        code.append(_make("and.pred", "%gl_go", "%gl_go", instruction.guard))
    return code


def _record(number: int, more: list[Instruction]) -> list[Instruction]:
    """Write one record, the number of its site first, and go on to the next."""
    return [
        _make("mov.u64", "%gl_site", str(number)),
        _store("u64", 0, "%gl_site"),
        _store("u64", 8, "%gl_to"),
        *more,
        _make("add.s64", "%gl_at", "%gl_at", str(_RECORD.itemsize), guarded=True),
    ]


def _store(element: str, offset: int, register: str) -> Instruction:
    return _make(f"st.global.{element}", f"[%gl_at+{offset}]", register, guarded=True)


def _number(register: str, value: str) -> list[Instruction]:
    return [_make("mov.u32", register, value)]


def _site_of_wait(instruction: Instruction) -> Site | None:
    """A group of asynchronous copies is closed, or groups are waited for."""
    line = instruction.location.line
    if instruction.opcode == "cp.async.commit_group":
        return Site(COMMIT, line)
    if instruction.opcode.startswith("cp.async.wait_"):
        return Site(WAIT, line, count=int(instruction.operands[0]) if instruction.operands else 0)
    return None


def _site(instruction: Instruction) -> Site | None:
    """What there is to write down of an instruction, None where it is neither an access that fits nor a barrier."""
    from gemmlab.emulator.ptx.parser import TYPE_BYTES

    head, *words = instruction.opcode.split(".")
    line = instruction.location.line
    if head in ("bar", "barrier") and ("sync" in words or "arrive" in words or "red" in words) and "warp" not in words:
        return Site(BARRIER, line)
    if head == "cp" and words[:1] == ["async"] and "shared" in instruction.opcode and len(instruction.operands) > 2:
        return Site(COPY, line, 4, int(instruction.operands[2]) // 4)
    is_near = any(word in _SPACES for word in words) or not {"param", "local", "const"}.intersection(words)
    if head not in ("ld", "st") or not is_near or words[-1] not in TYPE_BYTES:
        return None
    size, count = TYPE_BYTES[words[-1]], next((_VECTORS[word] for word in words if word in _VECTORS), 1)
    kind = LOAD if head == "ld" else STORE
    return Site(kind, line, size, count) if size * count <= 4 * _WORDS else None
