"""Events of the interpreter -> Findings: the student's lines, arrays and threads, and one sentence that teaches.

Unrolled loops give one fault many instructions, and one missing barrier makes races in every array: events of one cause
become one finding, and what only follows from another fault is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from gemmlab.emulator.code.code import Code
from gemmlab.emulator.report import accesses, others
from gemmlab.emulator.report.event import HAZARDS, Event
from gemmlab.emulator.report.others import timeout_message
from gemmlab.emulator.report.places import Places, plain_name
from gemmlab.emulator.report.races import Race
from gemmlab.kernel.causes import harmless_ends_as_warnings, without_followers
from gemmlab.kernel.kinds import KINDS
from gemmlab.kernel.launch import Launch
from gemmlab.kernel.verdict import Finding

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Explainer", "plain_name", "timeout_message"]

Place = tuple[object, ...]


@dataclass(frozen=True)
class Fault:
    """What one kind of event means: the kind of finding, its sentence, of what its events make one finding, and how
    grave it is, where not as the kind says."""

    kind: str
    sentence: Callable[[Places, Event], str]
    cause: Callable[[Places, Event], Place]
    severity: str = ""


def _by_line(places: Places, event: Event) -> Place:
    return places.line(event.pc), places.line(event.other_pc), places.array(event.region)


def _by_array(places: Places, event: Event) -> Place:
    return (places.array(event.region),)


def _by_origin(places: Places, event: Event) -> Place:
    return (places.line(event.other_pc) or event.other_pc,)


def _once(places: Places, event: Event) -> Place:
    return ()


_BARRIER = partial(Fault, "barrier_divergence")
_UNDEFINED = Fault("uninitialized", others.undefined, _by_origin)
_FAULTS = {
    "BARRIER_EXITED": _BARRIER(others.left_before_barrier, _once),
    "BARRIER_WARP_ENDED": _BARRIER(others.warp_left_before_barrier, _once),
    "BARRIER_OTHER_IN_WARP": _BARRIER(others.at_another_barrier, _once),
    "BARRIER_OTHER_IN_BLOCK": _BARRIER(others.at_another_barrier, _once),
    "BARRIER_DEADLOCK": _BARRIER(others.nobody_comes, _by_line),
    "BARRIER_WITHOUT_GROUP": _BARRIER(others.meets_by_chance, _once, "warning"),
    "WARP_SYNC_MISSING": _BARRIER(others.lanes_missing, _by_line),
    "OUT_OF_BOUNDS_READ": Fault("out_of_bounds", accesses.out_of_bounds, _by_array),
    "OUT_OF_BOUNDS_WRITE": Fault("out_of_bounds", accesses.out_of_bounds, _by_array),
    "MISALIGNED_READ": Fault("misaligned", accesses.misaligned, _by_array),
    "MISALIGNED_WRITE": Fault("misaligned", accesses.misaligned, _by_array),
    "UNDEFINED_STORE": _UNDEFINED,
    "UNDEFINED_BRANCH": _UNDEFINED,
    "UNDEFINED_ADDRESS": _UNDEFINED,
    "INPUT_WRITTEN": Fault("wrong_result", accesses.input_written, _by_line),
    "UNSUPPORTED_INSTRUCTION": Fault("unsupported", others.unsupported, _by_line),
    "TRAPPED": Fault("launch_error", others.trapped, _by_line),
    "OUT_OF_WORK": Fault("timeout", others.out_of_work, _once),
    "ASYNC_OVERFLOW": Fault("unsupported", others.too_many_copies, _by_line),
    "RACE_READ_ONLY": Fault("race", others.read_through_cache, _by_array),
    "OBJECT_UNSET": Fault("uninitialized", others.object_unset, _by_array),
    "OBJECT_STUCK": Fault("timeout", others.object_stuck, _by_array),
    "OBJECT_BYTES_MISSING": Fault("timeout", others.object_bytes_missing, _by_array),
}


@dataclass(frozen=True)
class Plain:
    """Any event that is no race, as it is told."""

    places: Places
    event: Event
    is_without_barrier = False  # as a race may be

    @property
    def kind(self) -> str:
        """The kind of finding."""
        is_value = self.event.kind.startswith("UNDEFINED")
        is_shuffled = is_value and others.comes_from_shuffle(self.places, self.event)
        return "barrier_divergence" if is_shuffled else _FAULTS[self.event.kind].kind

    @property
    def severity(self) -> str:
        return _FAULTS[self.event.kind].severity or KINDS[self.kind].severity

    @property
    def cause(self) -> Place:
        fault = _FAULTS[self.event.kind]
        return fault.sentence.__name__, *fault.cause(self.places, self.event)

    @property
    def unclear(self) -> tuple[bool, bool]:
        """How little it tells beside others of its cause: two threads of different warps tell more than two of one."""
        return False, self.event.is_in_one_warp

    def text(self) -> str:
        """The sentence for the student."""
        return _FAULTS[self.event.kind].sentence(self.places, self.event)


class Explainer:
    """Turns the events of one launch into findings."""

    def __init__(
        self, code: Code, launch: Launch, shape: tuple[int, int, int], source: str, places: Places | None = None
    ) -> None:
        """`places` are those of one of several devices."""
        self.places = places or Places(code, launch, shape, source)

    def findings(self, table: np.ndarray) -> list[Finding]:
        """One finding for each cause, in order of appearance."""
        events = [self._event(row) for row in table]
        groups: dict[Place, list[Race | Plain]] = {}
        for event in self._relevant(events):
            told = Race.of(self.places, event) if event.is_race else Plain(self.places, event)
            groups.setdefault((told.kind, told.severity, *told.cause), []).append(told)
        found = [self._finding(place, group) for place, group in groups.items()]
        return without_followers(harmless_ends_as_warnings(found))

    def _event(self, row: np.ndarray) -> Event:
        event = Event.of(row)
        return event if self.places.exists(event.region) else replace(event, region=-1)

    def _relevant(self, events: list[Event]) -> Iterable[Event]:
        """Without what only follows: a value read too early is a race, not a missing value."""
        line = self.places.line
        raced = {line(event.pc) or event.pc for event in events if event.kind in ("RACE_RAW", "RACE_ASYNC")}
        for event in events:
            if not (event.kind.startswith("UNDEFINED") and (line(event.other_pc) or event.other_pc) in raced):
                yield event

    def _finding(self, place: Place, group: Sequence[Race | Plain]) -> Finding:
        """One finding for the events of one cause, told by the clearest of them."""
        example = min(group, key=lambda told: told.unclear)
        location = self.places.code.locations[example.event.pc]
        return Finding(
            example.kind,
            example.text(),
            example.severity,
            location.line or None,
            location.column or None,
            sum(told.event.count for told in group),
            {
                "place": "|".join(map(str, place)),
                **self._details(example.event, [told.event for told in group]),
                **({"no_barrier": True} if any(told.is_without_barrier for told in group) else {}),
            },
        )

    def _details(self, event: Event, group: list[Event]) -> dict[str, object]:
        places = self.places
        threads = [thread for thread in (event.thread, event.other_thread) if thread >= 0]
        details = {
            "block": list(places.block_index(event.block)) if event.block >= 0 else None,
            "threads": [list(places.thread_index(thread)) for thread in threads],
            "other_line": places.line(event.other_pc) or None,
            "array": places.array(event.region),
            "index": places.element(event) if event.region >= 0 else None,
            "k_tile": event.tile if event.tile >= 0 else None,
            "hazard": HAZARDS.get(event.kind),
            "arrays": sorted({name for one in group if (name := places.array(one.region))}),
            "lines": sorted({line for one in group for pc in (one.pc, one.other_pc) if (line := places.line(pc))}),
            "shared": others.is_about_shared(places, event) or None,
            "from_global": others.comes_from_global(places, event) or None,
            "one_warp": event.is_in_one_warp or None,
            "left": event.kind in ("BARRIER_EXITED", "BARRIER_WARP_ENDED") or None,
            "whole_warp": event.kind == "BARRIER_WARP_ENDED" or None,
            "warp": event.kind.startswith("WARP") or None,
            "by_chance": event.kind == "BARRIER_WITHOUT_GROUP" or None,
        }
        return {name: value for name, value in details.items() if value not in (None, [])}
