"""Faults of barriers, values that were never set, and ends before the end, in words."""

from __future__ import annotations

import re

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.event import Event
from gemmlab.emulator.report.places import Places

_LOADS = re.compile(r"(@\S+ )?(ld|atom|red)\b")
# What a wait does that reads nothing.
_IDLE = re.compile(r"(@\S+ )?(bra|setp|mov|selp|and|or|not)\b")


def left_before_barrier(places: Places, event: Event) -> str:
    """A thread has ended, and others wait for it."""
    me, block, other = places.thread(event.thread), places.block(event.block), places.thread(event.other_thread)
    return say.LEFT_BEFORE_BARRIER(me=me, block=block, here=places.at(event.pc), other=other)


def warp_left_before_barrier(places: Places, event: Event) -> str:
    """A whole warp has ended, and the others go on without it."""
    me, block, other = places.thread(event.thread), places.block(event.block), places.thread(event.other_thread)
    return say.WARP_LEFT_BEFORE_BARRIER(me=me, block=block, here=places.at(event.pc), other=other)


def at_another_barrier(places: Places, event: Event) -> str:
    """Threads wait at several barriers."""
    me, other = places.thread(event.thread), places.thread(event.other_thread)
    return say.AT_ANOTHER_BARRIER(me=me, here=places.at(event.pc), other=other, there=places.at(event.other_pc))


def nobody_comes(places: Places, event: Event) -> str:
    """A barrier expects more threads than there are."""
    me, here = places.thread(event.thread), places.at(event.pc)
    if event.other_pc < 0:
        return say.NOBODY_COMES(me=me, here=here)
    other, there = places.thread(event.other_thread), places.at(event.other_pc)
    return say.NOBODY_COMES_BUT_ONE_WAITS(me=me, here=here, other=other, there=there)


def meets_by_chance(places: Places, event: Event) -> str:
    """Which warps a barrier of some warps lets go together hangs on who comes first."""
    return say.MEETS_BY_CHANCE(me=places.thread(event.thread), here=places.at(event.pc))


def lanes_missing(places: Places, event: Event) -> str:
    """A warp-wide instruction names lanes that do not take part."""
    me, here = places.thread(event.thread), places.at(event.pc)
    if event.other_thread < 0:
        return say.LANES_MISSING(me=me, here=here)
    return say.LANE_MISSING(me=me, here=here, other=places.thread(event.other_thread))


def undefined(places: Places, event: Event) -> str:
    """A value that nothing was written to before, where it comes to matter."""
    here, origin = places.at(event.pc), _origin(places, event)
    if event.kind == "UNDEFINED_BRANCH":
        return say.BRANCHED_ON_UNSET(here=here, origin=origin)
    if event.kind == "UNDEFINED_ADDRESS":
        return say.ADDRESS_UNSET(here=here, origin=origin)
    return say.STORED_UNSET(array=places.array(event.region) or say.MEMORY(), here=here, origin=origin)


def is_about_shared(places: Places, event: Event) -> bool:
    """Whether it is about shared memory: an access to it, or a value that was read from it."""
    if event.kind.startswith("UNDEFINED"):
        return ".shared" in _origin_text(places, event)
    return o.FIRST_SHARED <= event.region < o.FIRST_LOCAL


def comes_from_global(places: Places, event: Event) -> bool:
    """Whether the value was read from global memory."""
    return event.kind.startswith("UNDEFINED") and ".global" in _origin_text(places, event)


def comes_from_shuffle(places: Places, event: Event) -> bool:
    """Whether the value is what a shuffle gives of lanes that do not take part."""
    return _origin_text(places, event).startswith("shfl")


def _origin_text(places: Places, event: Event) -> str:
    return places.code.texts[event.other_pc] if event.other_pc >= 0 else ""


def _origin(places: Places, event: Event) -> str:
    origin, there = _origin_text(places, event), places.at(event.other_pc)
    if origin.startswith("shfl"):
        return say.FROM_SHUFFLE(there=there)
    if not _LOADS.match(origin):
        return say.FROM_VARIABLE(there=there)
    if ".shared" in origin:
        return say.FROM_SHARED(there=there)
    if ".global" in origin:
        return say.FROM_GLOBAL(there=there)
    return say.FROM_LOCAL(there=there)


def unsupported(places: Places, event: Event) -> str:
    """An instruction that the emulator does not know."""
    return say.UNSUPPORTED(instruction=places.code.messages[event.offset], here=places.at(event.pc))


def trapped(places: Places, event: Event) -> str:
    """The kernel ended itself."""
    return say.TRAPPED(me=places.thread(event.thread), here=places.at(event.pc))


def out_of_work(places: Places, event: Event) -> str:
    """The budget of work was spent."""
    message = timeout_message(places.line(event.pc))
    return f"{message} {say.READS_NOTHING()}" if _reads_nothing(places, event.pc) else message


def _reads_nothing(places: Places, pc: int) -> bool:
    """Whether the innermost loop around an instruction does nothing but compare and jump: a wait whose variable was
    read before the loop."""
    rows, texts = places.code.rows, places.code.texts
    ends = [at for at in range(pc, len(rows)) if rows[at][o.ROW_OP] == o.BRANCH and rows[at][o.ROW_IMM] <= pc]
    return bool(ends) and all(_IDLE.match(text) for text in texts[int(rows[ends[0]][o.ROW_IMM]) : ends[0] + 1])


def timeout_message(line: int) -> str:
    """The sentence on a kernel that does not end; `line` is where it was, 0 where that is not known."""
    return say.ENDLESS_AT_LINE(line=line) if line else say.ENDLESS()


def too_many_copies(places: Places, event: Event) -> str:
    """More asynchronous copies than the emulator holds."""
    return say.TOO_MANY_COPIES(here=places.at(event.pc))


def read_through_cache(places: Places, event: Event) -> str:
    """A kernel reads through the read-only cache what it writes itself."""
    me, element = places.thread(event.thread), places.named(event)
    return say.READ_THROUGH_CACHE(me=me, element=element, here=places.at(event.pc), there=places.at(event.other_pc))


def object_unset(places: Places, event: Event) -> str:
    """A barrier object is used before it was initialised."""
    me, array = places.thread(event.thread), places.array(event.region) or say.MEMORY()
    return say.OBJECT_UNSET(me=me, element=places.element(event) or array, here=places.at(event.pc), array=array)


def object_stuck(places: Places, event: Event) -> str:
    """The phase of a barrier object does not end: arrivals are missing."""
    me, here, missing = places.thread(event.thread), places.at(event.pc), event.size
    element = places.element(event) or places.array(event.region) or say.MEMORY()
    if event.other_thread < 0:
        return say.OBJECT_EXPECTS_TOO_MANY(me=me, here=here, element=element, missing=missing)
    other = places.thread(event.other_thread)
    return say.OBJECT_STUCK(me=me, here=here, element=element, missing=missing, other=other)


def object_bytes_missing(places: Places, event: Event) -> str:
    """The phase of a barrier object does not end: bytes are missing that were announced."""
    me, here, missing = places.thread(event.thread), places.at(event.pc), event.size
    element = places.element(event) or places.array(event.region) or say.MEMORY()
    return say.OBJECT_BYTES_MISSING(me=me, here=here, element=element, missing=missing)
