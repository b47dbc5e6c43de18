"""What went wrong on several devices -> Findings: what each did by itself, what two did, and who waits for whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gemmlab.emulator.devices import last_reader
from gemmlab.emulator.devices.places import DevicePlaces
from gemmlab.emulator.devices.turns import Device, WorldRun
from gemmlab.emulator.devices.world import DeviceChunk, World
from gemmlab.emulator.machine import events as e
from gemmlab.emulator.machine.peers import polls
from gemmlab.emulator.machine.peers import publications as why
from gemmlab.emulator.report import sentences as say
from gemmlab.emulator.report.event import HAZARDS, Event
from gemmlab.emulator.report.findings import Explainer, timeout_message
from gemmlab.kernel.arguments import FLAGS
from gemmlab.kernel.causes import without_followers
from gemmlab.kernel.verdict import Finding

Shape = tuple[int, int, int]
_REASONS = {
    why.NO_WAIT: say.NEVER_WAITED,
    why.READ_FIRST: say.READ_BEFORE_THE_WAIT,
    why.ONE_THREAD: say.ONE_THREAD_WAITED,
    why.NO_ACQUIRE: say.NOT_ACQUIRED,
    why.NO_FENCE: say.NO_SYSTEM_FENCE,
    why.NO_BARRIER: say.WRITER_NOT_WAITED_FOR,
    why.DEVICE_FENCE: say.DEVICE_FENCE,
    why.FLAG_FIRST: say.FLAG_BEFORE_DATA,
    why.DEVICE_FLAG: say.FLAG_OF_ONE_DEVICE,
}
_LEFT_WAITING = (why.NO_WAIT, why.READ_FIRST)  # reasons that also follow from a flag that was set before


@dataclass(frozen=True)
class Meeting:
    """Two accesses of two devices, as one of them found the other's: `here` is its side, `there` the other's."""

    event: Event
    here: DevicePlaces
    there: DevicePlaces

    @property
    def reader(self) -> DevicePlaces | None:
        """The side that reads, None where both write."""
        return {"RACE_RAW": self.here, "RACE_WAR": self.there}.get(self.event.kind)

    @property
    def lines(self) -> tuple[int, int]:
        return self.here.line(self.event.pc), self.there.line(self.event.other_pc)

    @property
    def array(self) -> str | None:
        return self.here.array(self.event.region)

    @property
    def hands_on(self) -> bool:
        """Whether the reader is who comes behind the kernels."""
        return self.reader is not None and self.reader.launch.kernel == last_reader.NAME

    @property
    def cause(self) -> tuple:
        return tuple(sorted(self.lines)), self.array, self.reader is None, self.hands_on

    def text(self, launch: int) -> str:
        event = self.event
        here = self.here.who(event.block, event.thread), self.here.at(event.pc)
        there = self.there.who(event.other_block, event.other_thread), self.there.at(event.other_pc)
        element = self.here.element_with_device(event.region, event.offset)
        (writer, written), (other, at) = (there, here) if event.kind == "RACE_RAW" else (here, there)
        reason = self._reason(launch, here, there)
        if self.hands_on and self.reader:
            device = self.reader.task.rank
            return say.HANDED_ON_TOO_EARLY(device=device, writer=writer, element=element, there=written, reason=reason)
        sentence = say.BETWEEN_DEVICES if self.reader else say.WRITTEN_BY_DEVICES
        return sentence(me=other, element=element, here=at, writer=writer, there=written, reason=reason)

    def _reason(self, launch: int, here: tuple[str, str], there: tuple[str, str]) -> str:
        reason = self.event.reason
        if self.array == FLAGS:
            return say.FLAG_OF_ONE_DEVICE() if reason == why.DEVICE_FLAG else say.PLAIN_FLAG()
        if self.reader is None:
            return say.ONE_WRITER()
        if launch > 1 and reason in _LEFT_WAITING:
            return say.FLAG_LEFT_SET()
        writer = self.there if self.reader is self.here else self.here
        return _REASONS[reason](device=writer.task.rank, reader=self.reader.task.rank)


class Reporter:
    """Of one run of all devices: the first, or the second on what that left."""

    def __init__(self, shape: Shape, source: str, world: World, number: int) -> None:
        self.shape, self.source, self.world, self.number = shape, source, world, number
        self._places = [DevicePlaces(world, task, shape, source) for task in world.tasks]

    def findings(self, run: WorldRun) -> list[Finding]:
        """One for each cause, in order of appearance."""
        own, meetings = [], []
        for chunk in run.chunks:
            mine, others = self._parted(chunk)
            own.append((chunk, mine))
            meetings += [self._meeting(chunk, row) for row in others]
        races = list(self._races(meetings))
        raced = {line for meeting in meetings for line in meeting.lines}
        found = races + self._merged([one for chunk, rows in own for one in self._alone(chunk, rows, raced)])
        if run.stuck:
            found.append(self._stuck(run))
        elif run.stopped and not any(one.is_error for one in found):
            found.append(Finding("timeout", timeout_message(0)))
        return [self._of_launch(one) for one in without_followers(found)]

    def _of_launch(self, finding: Finding) -> Finding:
        if self.number == 1:
            return finding
        return replace(finding, details={**finding.details, "launch": self.number})

    # ---- what a device did by itself

    def _parted(self, chunk: DeviceChunk) -> tuple[np.ndarray, np.ndarray]:
        """The events of the launch alone, with its own numbers of blocks, and those with another device."""
        rows = chunk.event_rows().copy()
        first, other = chunk.task.first_block, rows[:, e.OTHER_BLOCK]
        apart = (other >= 0) & ((other < first) | (other >= first + chunk.task.blocks))
        mine = rows[~apart]
        for column in (e.BLOCK, e.OTHER_BLOCK):
            mine[:, column] = np.where(mine[:, column] >= 0, mine[:, column] - first, -1)
        return mine, rows[apart]

    def _alone(self, chunk: DeviceChunk, rows: np.ndarray, raced: set[int]) -> list[Finding]:
        """The findings of one launch. A value that was read too early from another device is no missing value."""
        places = self._places[chunk.task.number]
        kept = [row for row in rows if not _is_follower(Event.of(row), places, raced)]
        table = np.array(kept, np.int64).reshape(-1, e.EVENT_ROW)
        explained = Explainer(chunk.code, chunk.task.launch, self.shape, self.source, places).findings(table)
        return [_by_device(chunk.task.rank, one) for one in explained]

    def _merged(self, found: Sequence[Finding]) -> list[Finding]:
        """What several devices did alike is one finding, that of the first."""
        merged: dict[tuple, Finding] = {}
        for one in found:
            key = one.kind, one.line, one.details.get("place")
            first = merged.get(key)
            merged[key] = replace(first, count=first.count + one.count) if first else one
        return list(merged.values())

    # ---- what two devices did

    def _meeting(self, chunk: DeviceChunk, row: np.ndarray) -> Meeting:
        event = Event.of(row)
        launches = [task.first_block for task in self.world.tasks]
        other = int(np.searchsorted(launches, event.other_block, side="right")) - 1
        return Meeting(event, self._places[chunk.task.number], self._places[other])

    def _races(self, meetings: Sequence[Meeting]) -> Iterator[Finding]:
        """Those on flags first; where there are any, other reads may only seem to come too early. That a kernel reads
        too early says more than that C is handed on."""
        groups: dict[tuple, list[Meeting]] = {}
        for meeting in meetings:
            groups.setdefault(meeting.cause, []).append(meeting)
        of_flags = [group for group in groups.values() if group[0].array == FLAGS]
        others = [group for group in groups.values() if group[0].array != FLAGS]
        read = {line for group in others if not group[0].hands_on for line in group[0].lines}
        yield from map(self._race, of_flags)
        for group in others:
            is_told = group[0].hands_on and read.intersection(group[0].lines)
            if not is_told and not (of_flags and _clearest(group).event.reason in _LEFT_WAITING):
                yield self._race(group)

    def _race(self, group: Sequence[Meeting]) -> Finding:
        clear = _clearest(group)
        event, here, there = clear.event, clear.here, clear.there
        side, pc = (here, event.pc) if clear.lines[0] else (there, event.other_pc)
        location = side.code.locations[pc]
        details = {
            "place": f"devices|{clear.cause}",
            "device": here.task.rank,
            "other_device": there.task.rank,
            "block": list(here.block_index(here.local_block(event.block))),
            "threads": [list(here.thread_index(event.thread)), list(there.thread_index(event.other_thread))],
            "other_line": clear.lines[1] or None,
            "array": clear.array,
            "array_device": here.owner(event.region),
            "index": here.element_with_device(event.region, event.offset).partition(" ")[0],
            "hazard": HAZARDS.get(event.kind),
            "lines": sorted(set(clear.lines) - {0}),
        }
        kept = {name: value for name, value in details.items() if value is not None}
        count = sum(one.event.count for one in group)
        where = location.line or None, location.column or None
        return Finding("race", clear.text(self.number), "error", *where, count, kept)

    # ---- waits without an end

    def _stuck(self, run: WorldRun) -> Finding:
        """Who waits where, for what, and what has become of the others."""
        waits = [wait for device in run.stuck for wait in self._wait(device)]
        ended = [device.rank for device in run.devices if device.has_ended]
        told = "; ".join([text for text, _ in waits] + [say.DEVICE_ENDED(device=rank) for rank in ended])
        details = waits[0][1] if waits else {}
        return Finding("timeout", say.WAIT_FOR_EVER(waits=told), line=details.get("line"), details=details)

    def _wait(self, device: Device) -> Iterator[tuple[str, dict]]:
        chunk = device.chunk
        if chunk is None:
            return
        places = self._places[chunk.task.number]
        for address, pc, thread in chunk.asks.reshape(-1, polls.ASKS_ROW):
            if not address:
                continue
            regions = chunk.memory.regions
            region = next(n for n, one in enumerate(regions) if 0 <= address - one.address < one.size)
            element = places.element_with_device(region, int(address) - regions[region].address)
            block = chunk.task.first_block + device.next_block
            line = places.line(int(pc))
            details = {"device": device.rank, "line": line or None, "array": places.array(region)}
            yield say.WAITS_FOR(me=places.who(block, int(thread)), here=places.at(int(pc)), element=element), details
            return


def _clearest(group: Sequence[Meeting]) -> Meeting:
    return max(group, key=lambda meeting: meeting.event.reason)


def _by_device(rank: int, finding: Finding) -> Finding:
    message = say.DEVICE_ALONE(device=rank, fault=finding.message)
    return replace(finding, message=message, details={**finding.details, "device": rank})


def _is_follower(event: Event, places: DevicePlaces, raced: set[int]) -> bool:
    return event.kind.startswith("UNDEFINED") and places.line(event.other_pc) in raced - {0}
