"""Races in words: who came too early, and what is missing between the two accesses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gemmlab.emulator.machine import opcodes as o
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.barriers import Gaps, gaps_between, waits_after_its_barrier
from gemmlab.emulator.report.event import Event
from gemmlab.emulator.report.places import Places
from gemmlab.sentence import Sentence

_MOST_BUFFERS = 8


@dataclass(frozen=True)
class Race:
    """One race, told by the thread that came too early. `gaps` are those between a store and the read below it, None
    where they stand otherwise. `was_told_by_the_writer`: of a read, that it was seen when the write came."""

    places: Places
    event: Event
    gaps: Gaps | None
    was_told_by_the_writer: bool = False
    kind = "race"  # of finding

    @classmethod
    def of(cls, places: Places, event: Event) -> Race:
        """The race that an event shows. A read that finds the next tile's value there already was overtaken by the
        writer; a write that finds its own tile read already comes after a reader who was early."""
        store, read = (event.other_pc, event.pc) if event.kind == "RACE_RAW" else (event.pc, event.other_pc)
        gaps = gaps_between(places.code, store, read) if event.kind in ("RACE_RAW", "RACE_WAR") else None
        if event.kind == "RACE_RAW" and _writer_was_early(event, gaps):
            return cls(places, event.seen_from_the_other("RACE_WAR"), gaps)
        if event.kind == "RACE_WAR" and _reader_was_early(event, gaps):
            return cls(places, event.seen_from_the_other("RACE_RAW"), gaps, was_told_by_the_writer=True)
        return cls(places, event, gaps)

    @property
    def is_in_global_memory(self) -> bool:
        return self.event.region < o.FIRST_SHARED

    @property
    def is_between_blocks(self) -> bool:
        event = self.event
        return event.block < 0 or event.other_block >= 0 and event.block != event.other_block

    @property
    def severity(self) -> str:
        return "warning" if self.event.kind == "RACE_SAME_VALUE" else "error"

    @property
    def cause(self) -> tuple[object, ...]:
        """What races of one cause have in common: where a barrier is missing in one loop, or the order of copies; else
        the two lines and the array. Of races of one line with itself (`c += a`) the first is enough."""
        event, places = self.event, self.places
        if self.is_of_copies and not self.is_in_global_memory:
            return ("copies",)
        if event.kind in ("RACE_RAW", "RACE_WAR") and not self.is_in_global_memory and self.gaps:
            return event.kind, self.gaps
        lines = frozenset((places.line(event.pc), places.line(event.other_pc)))
        alike = "same value" if event.kind == "RACE_SAME_VALUE" else "race"
        kind = alike if len(lines) == 1 or self.is_in_global_memory else event.kind
        return kind, tuple(sorted(lines)), places.array(event.region), self.is_between_blocks

    # ---- the sentence

    def text(self) -> str:
        """The sentence for the student."""
        if self.is_between_blocks:
            return self._between_blocks()
        sentence = self._in_global_memory() if self.is_in_global_memory else self._in_shared_memory()
        event = self.event
        if event.is_in_one_warp and event.kind in ("RACE_RAW", "RACE_WAR", "RACE_WAW") and not self.is_in_global_memory:
            return say.IN_ONE_WARP(race=sentence)
        return sentence

    def _between_blocks(self) -> str:
        places = {"element": self._element, "here": self._here, "there": self._there}
        array = self.places.array(self.event.region)
        if self.event.kind == "RACE_SAME_VALUE":
            return say.BETWEEN_BLOCKS_ALIKE(**places)
        if array is None or array in "ABC":
            return say.BETWEEN_BLOCKS(**places)
        return say.BETWEEN_BLOCKS_ELSEWHERE(array=array, **places)

    def _in_global_memory(self) -> str:
        sentence = {
            "RACE_RAW": say.ADDED_WITHOUT_ORDER,
            "RACE_WAR": say.WRITTEN_AND_READ,
            "RACE_SAME_VALUE": say.STORED_TWICE_ALIKE,
        }.get(self.event.kind, say.STORED_TWICE)
        return sentence(me=self._me, other=self._other, element=self._element, here=self._here, there=self._there)

    def _in_shared_memory(self) -> str:
        me, other, element = self._me, self._other, self._element
        here = self.places.at(self.event.pc, self.event.tile)
        there = self.places.at(self.event.other_pc, self.event.other_tile)
        is_met = self.was_told_by_the_writer or self.gaps is not None and not self.gaps.barriers
        if self.event.kind in ("RACE_RAW", "RACE_ASYNC") and self.is_of_copies and not is_met:
            if waits_after_its_barrier(self.places.code, self.event.pc):
                return say.WAITED_FOR_TOO_LATE(me=me, other=other, element=element, here=self._here, there=self._there)
            sentence = say.NOT_WAITED_FOR_IN_BUFFER if self._is_buffered else say.NOT_WAITED_FOR
            return sentence(me=me, element=element, here=self._here, there=self._there)
        reads = self.event.kind == "RACE_RAW"
        if barrier := self._barrier_between(reads):
            sentence = say.READ_PAST_A_BARRIER if reads else say.OVERWRITTEN_PAST_A_BARRIER
            return sentence(me=me, other=other, element=element, here=here, there=there, barrier=barrier)
        sentence = self._without_barrier()
        return sentence(me=me, other=other, element=element, here=here, there=there)

    def _without_barrier(self) -> Sentence:
        """The sentence on two accesses with no barrier between them."""
        gaps, kind = self.gaps, self.event.kind
        if kind in ("RACE_WAW", "RACE_SAME_VALUE"):
            return say.WRITTEN_TWICE if kind == "RACE_WAW" else say.BOTH_WRITE_ALIKE
        one = gaps if gaps is not None and gaps.barriers == 1 else None
        if kind == "RACE_WAR":
            return say.SECOND_BARRIER_MISSING if one and one.only_second_is_missing else say.OVERWRITTEN_TOO_EARLY
        if self._is_buffered and gaps is not None and gaps.only_first_is_missing:
            return say.READ_IN_ANOTHER_BUFFER
        return say.FIRST_BARRIER_MISSING if one and one.only_first_is_missing else say.READ_TOO_EARLY

    def _barrier_between(self, reads: bool) -> int:
        """The line of a barrier that stands where one would be missing; 0 where none does."""
        if not self.gaps or self.event.kind not in ("RACE_RAW", "RACE_WAR"):
            return 0
        standing = self.gaps.fill_to_use if reads else self.gaps.use_to_fill
        return self.places.line(standing[0]) if standing else 0

    @property
    def is_without_barrier(self) -> bool:
        """Whether no barrier stands between the two accesses, not even one that some threads miss."""
        event, gaps = self.event, self.gaps
        if self.is_in_global_memory or self.is_between_blocks:
            return False
        if event.kind == "RACE_WAW":
            return event.pc == event.other_pc and event.tile == event.other_tile
        stretch = {"RACE_RAW": "fill_to_use", "RACE_WAR": "use_to_fill"}.get(event.kind)
        return gaps is not None and stretch is not None and not getattr(gaps, stretch)

    @property
    def is_of_copies(self) -> bool:
        """Whether the element was written by an asynchronous copy. That is done when its own thread has waited for it,
        and only a barrier after the wait tells the other threads."""
        store = self.event.pc if self.event.kind == "RACE_WAR" else self.event.other_pc
        return self.event.kind == "RACE_ASYNC" or self.places.code.rows[store, o.ROW_OP] == o.ASYNC_COPY

    @property
    def unclear(self) -> tuple[bool, bool]:
        """How little it tells beside others of its cause: a copy that meets a reader of the buffer tells more than one
        that was not waited for, and two threads of different warps more than two of one."""
        met = self.event.kind == "RACE_WAR" or self.was_told_by_the_writer
        return not met, self.event.is_in_one_warp

    @property
    def _is_buffered(self) -> bool:
        """Whether the array looks like several tiles, one a turn: float As[2][16][16]."""
        declared = self.places.declaration(self.event.region)
        first = declared.extents[0] if declared is not None and len(declared.extents) > 2 else None
        return first is not None and 1 < first <= _MOST_BUFFERS

    @cached_property
    def _element(self) -> str:
        return self.places.named(self.event)

    @property
    def _me(self) -> str:
        return self.places.thread(self.event.thread)

    @property
    def _other(self) -> str:
        return self.places.thread(self.event.other_thread)

    @property
    def _here(self) -> str:
        return self.places.at(self.event.pc)

    @property
    def _there(self) -> str:
        return self.places.at(self.event.other_pc)


def _writer_was_early(event: Event, gaps: Gaps | None) -> bool:
    if gaps and gaps.barriers:
        return gaps.only_second_is_missing
    return 0 <= event.tile < event.other_tile


def _reader_was_early(event: Event, gaps: Gaps | None) -> bool:
    if gaps and gaps.barriers:
        return gaps.only_first_is_missing
    return gaps is not None and 0 <= event.tile <= event.other_tile
