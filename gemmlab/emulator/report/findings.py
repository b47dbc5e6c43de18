"""Events of the interpreter -> Findings: the student's lines, arrays and threads, and one sentence that teaches.

Unrolled loops give one fault many instructions, so events of the same lines and the same array become one finding.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.machine.events import KIND_NAMES
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    import numpy as np

    from gemmlab.cuda.arrays import ArrayDeclaration

_HAZARDS = ("RACE_RAW", "RACE_WAR", "RACE_WAW")
_RACES = ("RACE_RAW", "RACE_WAR", "RACE_WAW", "RACE_SAME_VALUE", "RACE_ASYNC", "RACE_READ_ONLY")


@dataclass(frozen=True)
class Event:
    """One row of the event table by name; places are instruction numbers, -1 where there is none."""

    kind: str
    pc: int
    other_pc: int
    region: int
    offset: int
    thread: int
    other_thread: int
    block: int
    other_block: int
    tile: int
    other_tile: int
    count: int
    size: int

    @property
    def is_race(self) -> bool:
        return self.kind in _RACES


class Explainer:
    """Turns the events of one launch into findings."""

    def __init__(self, code: Code, launch: Launch, shape: tuple[int, int, int], source: str) -> None:
        self.code, self.launch, self.shape, self.source = code, launch, shape, source

    def findings(self, table: np.ndarray) -> list[Finding]:
        events = [self._event(row) for row in table]
        groups: dict[tuple, list[Event]] = {}
        for event in self._relevant(events):
            groups.setdefault(self._place(event), []).append(event)
        return [self._finding(place, group) for place, group in groups.items()]

    def _event(self, row: np.ndarray) -> Event:
        event = _overtaken(Event(KIND_NAMES[row[0]], *(int(value) for value in row[1:])))
        return event if self._exists(event.region) else replace(event, region=-1)

    def _exists(self, region: int) -> bool:
        """Whether there is an array with this number. A wild address may fall where an array could be, but is none."""
        starts = ((0, 3 + len(self.code.globals)), (o.FIRST_SHARED, len(self.code.shared)))
        return any(0 <= region - start < count for start, count in (*starts, (o.FIRST_LOCAL, len(self.code.locals))))

    def _relevant(self, events: list[Event]) -> list[Event]:
        """Without what only follows from another fault: a value read too early is a race, not a missing value. Of the
        races between the same two lines (`c += a` reads and writes in one) the first is enough."""
        raced = {self.line(event.pc) or event.pc for event in events if event.kind in ("RACE_RAW", "RACE_ASYNC")}
        first: dict[tuple, str] = {}
        return [
            event
            for event in events
            if not (event.kind.startswith("UNDEFINED") and (self.line(event.other_pc) or event.other_pc) in raced)
            and first.setdefault(self._hazard(event), event.kind) == event.kind
        ]

    def _hazard(self, event: Event) -> tuple:
        """What races of several kinds have in common where one is enough; of another event all there is."""
        lines = frozenset((self.line(event.pc), self.line(event.other_pc)))
        if event.kind in _HAZARDS and 0 not in lines and (len(lines) == 1 or event.region < o.FIRST_SHARED):
            return lines, event.region, event.block == event.other_block
        return event.kind, event.pc, event.other_pc, event.region, event.thread

    def _place(self, event: Event) -> tuple:
        return event.kind, self.line(event.pc), self.line(event.other_pc), self.array(event.region)

    def _finding(self, place: tuple, group: list[Event]) -> Finding:
        """One finding for the events of one place; two threads of different warps make the clearer example."""
        example = next((e for e in group if e.other_thread >= 0 and e.thread >> 5 != e.other_thread >> 5), group[0])
        kind, severity, message = _SENTENCES[example.kind](self, example)
        location = self.code.locations[example.pc]
        details = {"place": "|".join(str(part) for part in place), **self._details(example)}
        return Finding(
            kind,
            message,
            severity,
            location.line or None,
            location.column or None,
            sum(e.count for e in group),
            details,
        )

    def _details(self, event: Event) -> dict:
        details = {
            "block": list(self._coordinates(event.block, self.launch.grid)) if event.block >= 0 else None,
            "threads": [
                list(self._coordinates(t, self.launch.block)) for t in (event.thread, event.other_thread) if t >= 0
            ],
            "other_line": self.line(event.other_pc) or None,
            "array": self.array(event.region),
            "index": self.element(event) if event.region >= 0 else None,
            "k_tile": event.tile if event.tile >= 0 else None,
            "hazard": {
                "RACE_RAW": "RAW",
                "RACE_WAR": "WAR",
                "RACE_WAW": "WAW",
                "RACE_SAME_VALUE": "WAW",
                "RACE_ASYNC": "ASYNC",
                "RACE_READ_ONLY": "RAW",
            }.get(event.kind),
        }
        return {name: value for name, value in details.items() if value not in (None, [])}

    @cached_property
    def barrier_lines(self) -> list[int]:
        """The lines that hold a barrier of the whole block."""
        return sorted({self.line(pc) for pc in (self.code.rows[:, o.ROW_OP] == o.BARRIER).nonzero()[0]})

    # ---- words for places

    def line(self, pc: int) -> int:
        return self.code.locations[pc].line if 0 <= pc < len(self.code.locations) else 0

    def at(self, pc: int, tile: int = -1) -> str:
        """' (line 23, K tile 1)', or nothing where no line is known."""
        parts = [f"line {self.line(pc)}"] if self.line(pc) else []
        parts += [f"K tile {tile}"] if tile >= 0 else []
        return f" ({', '.join(parts)})" if parts else ""

    def _coordinates(self, number: int, size: tuple[int, int, int]) -> tuple[int, ...]:
        x, y, z = number % size[0], number // size[0] % size[1], number // (size[0] * size[1])
        return (x, y, z) if size[2] > 1 else (x, y) if size[1] > 1 else (x,)

    def thread(self, number: int) -> str:
        """'thread (3,1)', by threadIdx."""
        where = self._coordinates(number, self.launch.block)
        return f"thread ({','.join(map(str, where))})" if len(where) > 1 else f"thread {where[0]}"

    def block(self, number: int) -> str:
        where = self._coordinates(number, self.launch.grid)
        return f"block ({','.join(map(str, where))})" if len(where) > 1 else f"block {where[0]}"

    # ---- words for arrays

    def array(self, region: int) -> str | None:
        """The name of an array as the source writes it."""
        if region < 0:
            return None
        if region < 3:
            return "ABC"[region]
        if region < o.FIRST_SHARED:
            return plain_name(self.code.globals[region - 3].name)
        if region < o.FIRST_LOCAL:
            return plain_name(self.code.shared[region - o.FIRST_SHARED].name)
        return self.code.locals[region - o.FIRST_LOCAL].name

    @cached_property
    def declarations(self) -> dict[str, ArrayDeclaration]:
        from gemmlab.cuda.arrays import array_extents

        try:
            scopes = array_extents(self.source)
        except Exception:  # the source compiled; a reading of it that fails costs an index in a sentence, nothing more
            return {}
        return {name: array for scope in scopes.values() for name, array in scope.items()}

    def element(self, event: Event) -> str | None:
        """'As[1][0]' or 'A[3][17]': the element that was touched."""
        name = self.array(event.region)
        if event.region < 3:
            columns = self._extents(name)[1]
            row, column = divmod(event.offset // 4, columns)
            return f"{name}[{row}][{column}]"
        declared = self.declarations.get(name or "")
        if declared is None and event.offset == 0 and self._size(event.region) <= 8:
            return name
        if declared is not None and not declared.dynamic:
            if element := declared.element_at(event.offset):
                return element
        return f"{name}[{event.offset // 4}]" if declared is not None else None

    def _size(self, region: int) -> int:
        """Bytes of a variable; of dynamic shared memory, which has no size of its own, more than a number has."""
        if region < o.FIRST_SHARED:
            return self.code.globals[region - 3].size
        variables, first = (
            (self.code.shared, o.FIRST_SHARED) if region < o.FIRST_LOCAL else (self.code.locals, o.FIRST_LOCAL)
        )
        return 9 if variables[region - first].dynamic else variables[region - first].size

    def named(self, event: Event) -> str:
        """The element, or the array with a byte offset where its extents are not known."""
        return self.element(event) or f"byte {event.offset} of {self.array(event.region) or 'its local memory'}"

    def _extents(self, name: str) -> tuple[int, int]:
        sizes = dict(zip("MNK", self.shape))
        rows, columns = self.launch.layout.extents[name]
        return sizes[rows], sizes[columns]

    def bounds(self, event: Event) -> str:
        """What the array's size is: 'A is 40×24 (M×K)'."""
        name = self.array(event.region)
        if event.region < 3:
            rows, columns = self._extents(name)
            letters = "×".join(self.launch.layout.extents[name])
            return f"{name} is {rows}×{columns} ({letters}), {rows * columns} elements"
        if event.region < o.FIRST_SHARED:
            return f"{name} has {self.code.globals[event.region - 3].size} bytes"
        if event.region < o.FIRST_LOCAL:
            region = self.code.shared[event.region - o.FIRST_SHARED]
            if region.dynamic:
                return f"the launch gives {self.launch.smem} bytes of dynamic shared memory"
            size = region.size
        else:
            size = self.code.locals[event.region - o.FIRST_LOCAL].size
        declared = self.declarations.get(name or "")
        if declared is not None and all(declared.extents):
            extents = "".join(f"[{extent}]" for extent in declared.extents)
            return f"it is declared as {declared.element} {name}{extents}"
        return f"{name or 'it'} has {size} bytes"


def plain_name(symbol: str) -> str:
    """'_ZZ4gemmE2As' -> 'As': the last name in a mangled symbol (Itanium C++ ABI: its length, then the name)."""
    for match in re.finditer(r"(?<=E)(\d+)([A-Za-z_]\w*)", symbol):
        length = int(match[1])
        if length <= len(match[2]):
            return match[2][:length]
    return symbol


# ---- sentences: (kind, severity, message)


def _race(explain: Explainer, event: Event) -> tuple[str, str, str]:
    if event.block != event.other_block and event.other_block >= 0 or event.block < 0:
        return "race", "error", _between_blocks(explain, event)
    if event.region < o.FIRST_SHARED:
        return "race", "error", _in_global_memory(explain, event)
    what = explain.named(event)
    me, other = explain.thread(event.thread), explain.thread(event.other_thread)
    here, there = explain.at(event.pc, event.tile), explain.at(event.other_pc, event.other_tile)
    if event.kind == "RACE_RAW":
        text = f"{me} reads {what}{here} while {other} may not have written it yet{there}"
    elif event.kind == "RACE_WAR":
        text = f"{me} may overwrite {what}{here} while {other} still reads it{there}"
    else:
        text = f"{me}{here} and {other}{there} both write {what}, and which value stays is chance"
    return "race", "error", f"{text}: {_remedy(explain, event)}"


def _overtaken(event: Event) -> Event:
    """A read that finds the next K tile's value already there: the writer was too early, not the reader."""
    if event.kind != "RACE_RAW" or not 0 <= event.tile < event.other_tile:
        return event
    return replace(
        event,
        kind="RACE_WAR",
        pc=event.other_pc,
        other_pc=event.pc,
        thread=event.other_thread,
        other_thread=event.thread,
        tile=event.other_tile,
        other_tile=event.tile,
    )


def _remedy(explain: Explainer, event: Event) -> str:
    if event.kind == "RACE_RAW":
        barrier = _missing_barrier(explain, event.other_pc, event.pc)
        text = f"{barrier} is missing, between filling the tile and using it (read after write)"
    elif event.kind == "RACE_WAR":
        barrier = _missing_barrier(explain, event.pc, event.other_pc)
        text = f"{barrier} is missing, between the last read of the tile and its next write (write after read)"
    else:
        text = "give each element one writer, or put a __syncthreads() between the two (write after write)"
    if event.thread >> 5 == event.other_thread >> 5:
        text += (
            ". Both threads are in one warp, which is no order either: they do not run in step, and need a "
            "__syncwarp() "
            "at least"
        )
    return text


def _missing_barrier(explain: Explainer, store: int, read: int) -> str:
    """In a tile loop the store stands above the read, the first barrier between them, the second below the read. Where
    one barrier is left, the other is missing."""
    store_line, read_line = explain.line(store), explain.line(read)
    if len(explain.barrier_lines) == 1 and 0 < store_line < read_line:
        if store_line <= explain.barrier_lines[0] <= read_line:
            return "the second __syncthreads()"
        if explain.barrier_lines[0] > read_line:
            return "the first __syncthreads()"
    return "a __syncthreads()"


def _in_global_memory(explain: Explainer, event: Event) -> str:
    me, other = explain.thread(event.thread), explain.thread(event.other_thread)
    verbs = {"RACE_RAW": ("reads", "writes"), "RACE_WAR": ("writes", "reads")}
    mine, others = verbs.get(event.kind, ("writes", "writes"))
    return (
        f"{me} {mine} {explain.named(event)}{explain.at(event.pc)} and {other} {others} it too"
        f"{explain.at(event.other_pc)} with nothing that orders them: updates get lost; let one thread own each "
        "element, "
        "or use atomicAdd"
    )


def _between_blocks(explain: Explainer, event: Event) -> str:
    return (
        f"threads of two blocks touch {explain.named(event)}{explain.at(event.pc)}, one of them writing"
        f"{explain.at(event.other_pc)}: blocks are never ordered with each other, so which value stays is chance; let "
        "one "
        "block own each element of C, or use atomicAdd"
    )


def _same_value(explain: Explainer, event: Event) -> tuple[str, str, str]:
    kind, _, message = _race(explain, event)
    return kind, "warning", message + "; here both write the same value"


def _async_race(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = (
        f"{explain.thread(event.thread)} touches {explain.named(event)}{explain.at(event.pc)} while an asynchronous "
        "copy "
        f"into it{explain.at(event.other_pc)} has not been waited for: __pipeline_wait_prior (cp.async.wait_group), "
        "then "
        "__syncthreads(), must come first"
    )
    return "race", "error", message


def _exited(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = (
        f"{explain.thread(event.thread)} of {explain.block(event.block)} waits at the __syncthreads()"
        f"{explain.at(event.pc)}, but {explain.thread(event.other_thread)} has left the kernel without it: every "
        "thread of "
        "a block must reach every __syncthreads(); guard the loads and the store, never the barrier, and do not return "
        "early"
    )
    return "barrier_divergence", "error", message


def _other_barrier(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = (
        f"{explain.thread(event.thread)} waits at the barrier{explain.at(event.pc)} while "
        f"{explain.thread(event.other_thread)} waits at another one{explain.at(event.other_pc)}: all threads of a "
        "block "
        "must go through the same __syncthreads() the same number of times"
    )
    return "barrier_divergence", "error", message


def _deadlock(explain: Explainer, event: Event) -> tuple[str, str, str]:
    other = ""
    if event.other_pc >= 0:
        other = f", while {explain.thread(event.other_thread)} waits{explain.at(event.other_pc)}"
    message = (
        f"{explain.thread(event.thread)} waits at the barrier{explain.at(event.pc)}{other}, and the threads it waits "
        "for "
        "never come: check the number of threads the barrier is told to expect"
    )
    return "barrier_divergence", "error", message


def _warp_sync(explain: Explainer, event: Event) -> tuple[str, str, str]:
    absent = f", among them {explain.thread(event.other_thread)}," if event.other_thread >= 0 else ""
    message = (
        f"{explain.thread(event.thread)} is at a warp-wide instruction{explain.at(event.pc)} whose mask names lanes"
        f"{absent} that do not come: call it outside of the branch, or give a mask of the lanes that take part"
    )
    return "barrier_divergence", "error", message


def _out_of_bounds(explain: Explainer, event: Event) -> tuple[str, str, str]:
    verb = "reads" if event.kind.endswith("READ") else "writes"
    who = f"{explain.thread(event.thread)} of {explain.block(event.block)} {verb}"
    if event.region < 0:
        where = f"at an address that belongs to no array{explain.at(event.pc)}"
        return "out_of_bounds", "error", f"{who} {where}: a pointer that was never set, or an index far too large"
    what = explain.named(event)
    if event.region < 3:
        what = f"element {event.offset // 4} of {explain.array(event.region)}"
    edge = "before its start" if event.offset < 0 else "beyond its end"
    message = (
        f"{who} {what}{explain.at(event.pc)}, {edge}: {explain.bounds(event)}; {_bounds_advice(event, explain.launch)}"
    )
    return "out_of_bounds", "error", message


def _bounds_advice(event: Event, launch: Launch) -> str:
    if event.region < 3 and event.offset < 0:
        return (
            "the index went negative: a 32-bit product such as row * K overflows for large matrices, or a subtraction "
            "is too large"
        )
    if event.region < 3:
        return "the guard must test this array's own row and column against its own extents"
    if event.region < o.FIRST_LOCAL:
        return "the index must stay inside the tile"
    return "the index must stay inside the array"


def _misaligned(explain: Explainer, event: Event) -> tuple[str, str, str]:
    verb = "reads" if event.kind.endswith("READ") else "writes"
    array = explain.array(event.region) or "memory"
    if event.region >= o.FIRST_SHARED and event.offset % event.size == 0:
        message = (
            f"{explain.thread(event.thread)} {verb} {event.size} bytes at once at {explain.named(event)}"
            f"{explain.at(event.pc)}, but {array} itself starts at an address that is no multiple of {event.size}: "
            f"declare it with __align__({event.size})"
        )
        return "misaligned", "error", message
    message = (
        f"{explain.thread(event.thread)} {verb} {event.size} bytes at once at byte {event.offset} of {array}"
        f"{explain.at(event.pc)}, which is no multiple of {event.size}: such an access needs an address divisible by "
        f"{event.size}, so each row must hold a multiple of {max(event.size // 4, 1)} floats, else take the elements "
        "one "
        "by one"
    )
    return "misaligned", "error", message


def _undefined(explain: Explainer, event: Event) -> tuple[str, str, str]:
    origin = explain.code.texts[event.other_pc] if event.other_pc >= 0 else ""
    what = {
        "UNDEFINED_STORE": f"The value stored to {explain.array(event.region) or 'memory'}",
        "UNDEFINED_BRANCH": "A condition",
        "UNDEFINED_ADDRESS": "An address",
    }[event.kind]
    message = f"{what}{explain.at(event.pc)} depends on {_origin(explain, event, origin)}"
    return ("barrier_divergence" if origin.startswith("shfl") else "uninitialized"), "error", message


def _origin(explain: Explainer, event: Event, origin: str) -> str:
    where = explain.at(event.other_pc)
    if origin.startswith("shfl"):
        return f"a shuffle{where} whose mask names lanes that do not come: what they give is undefined"
    if not re.match(r"(@\S+ )?(ld|atom|red)\b", origin):
        return f"a variable that was never set but is used{where}: give it a first value, such as float acc = 0.0f"
    if ".shared" in origin:
        return (
            f"shared memory that no thread has written, read{where}: fill every element of the tile, with 0 where the "
            "matrix ends"
        )
    if ".global" in origin:
        return (
            f"an element that was read{where} before anything was written to it: C does not start as zeros; sum into a "
            "register, then store"
        )
    return f"a variable that was read{where} before it was set: give it a first value, such as float acc = 0.0f"


def _input_written(explain: Explainer, event: Event) -> tuple[str, str, str]:
    name = explain.array(event.region)
    message = (
        f"{explain.thread(event.thread)} writes to {explain.named(event)}{explain.at(event.pc)}, but {name} is an "
        "input "
        "and must stay as it is"
    )
    return "wrong_result", "error", message


def _unsupported(explain: Explainer, event: Event) -> tuple[str, str, str]:
    what = explain.code.messages[event.offset]
    message = (
        f"The emulator does not know the instruction {what}{explain.at(event.pc)}; run this kernel on a GPU with "
        "--backend cuda"
    )
    return "unsupported", "error", message


def _trapped(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = (
        f"{explain.thread(event.thread)} stopped the kernel itself{explain.at(event.pc)}: an assertion failed, or "
        "__trap() "
        "was called"
    )
    return "launch_error", "error", message


def _out_of_work(explain: Explainer, event: Event) -> tuple[str, str, str]:
    return "timeout", "error", timeout_message(explain.line(event.pc))


def timeout_message(line: int) -> str:
    where = f" (it was at line {line})" if line else ""
    return (
        f"The kernel did not come to an end{where}: is there a loop whose counter does not move, or a wait for a value "
        "that nobody writes?"
    )


def _async_overflow(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = f"Too many asynchronous copies are in flight at once{explain.at(event.pc)}: wait for the older ones first"
    return "unsupported", "error", message


_READ_ONLY = (
    "{me} touches {what}{here}, which is read through the read-only cache{there}: what a kernel writes itself must not "
    "be read with __ldg() or through a const __restrict__ pointer, for the cache may hold an older value, whatever the "
    "order"
)
_OBJECT_UNSET = (
    "{me} uses the barrier object {what}{here} before anything has initialised it: one thread calls "
    "init(&{array}, count), and a __syncthreads() must follow before others use it"
)
_OBJECT_STUCK = (
    "{me} waits{here} at the barrier object {what}, where {missing} of the arrivals that end a phase have not come; "
    "{other} has not arrived: the count that the object was initialised with must be the number of arrivals in a phase"
)
_OBJECT_TOO_MANY = (
    "{me} waits{here} at the barrier object {what}, where {missing} of the arrivals that end a phase have not come, "
    "although every thread of the block has arrived: the count that the object was initialised with is too large"
)
_OBJECT_BYTES = (
    "{me} waits{here} at the barrier object {what}, to which {missing} bytes have been announced that no copy brings: "
    "the bytes given to expect_tx must be those of the copies"
)


def _read_only(explain: Explainer, event: Event) -> tuple[str, str, str]:
    message = _READ_ONLY.format(
        me=explain.thread(event.thread),
        what=explain.named(event),
        here=explain.at(event.pc),
        there=explain.at(event.other_pc),
    )
    return "race", "error", message


def _object(explain: Explainer, event: Event) -> tuple[str, str, str]:
    """A barrier object that was never initialised, or whose phase does not end."""
    everyone = "" if event.other_thread < 0 else explain.thread(event.other_thread)
    kind, template = {
        "OBJECT_UNSET": ("uninitialized", _OBJECT_UNSET),
        "OBJECT_STUCK": ("timeout", _OBJECT_STUCK if everyone else _OBJECT_TOO_MANY),
        "OBJECT_BYTES_MISSING": ("timeout", _OBJECT_BYTES),
    }[event.kind]
    message = template.format(
        me=explain.thread(event.thread),
        what=explain.element(event) or explain.array(event.region),
        here=explain.at(event.pc),
        array=explain.array(event.region),
        missing=event.size,
        other=everyone,
    )
    return kind, "error", message


_SENTENCES = {
    "RACE_RAW": _race,
    "RACE_WAR": _race,
    "RACE_WAW": _race,
    "RACE_SAME_VALUE": _same_value,
    "RACE_ASYNC": _async_race,
    "BARRIER_EXITED": _exited,
    "BARRIER_OTHER_IN_WARP": _other_barrier,
    "BARRIER_OTHER_IN_BLOCK": _other_barrier,
    "BARRIER_DEADLOCK": _deadlock,
    "WARP_SYNC_MISSING": _warp_sync,
    "OUT_OF_BOUNDS_READ": _out_of_bounds,
    "OUT_OF_BOUNDS_WRITE": _out_of_bounds,
    "MISALIGNED_READ": _misaligned,
    "MISALIGNED_WRITE": _misaligned,
    "UNDEFINED_STORE": _undefined,
    "UNDEFINED_BRANCH": _undefined,
    "UNDEFINED_ADDRESS": _undefined,
    "INPUT_WRITTEN": _input_written,
    "UNSUPPORTED_INSTRUCTION": _unsupported,
    "TRAPPED": _trapped,
    "OUT_OF_WORK": _out_of_work,
    "ASYNC_OVERFLOW": _async_overflow,
    "RACE_READ_ONLY": _read_only,
    "OBJECT_UNSET": _object,
    "OBJECT_STUCK": _object,
    "OBJECT_BYTES_MISSING": _object,
}
