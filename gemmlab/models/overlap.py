"""A model of the loop over the K tiles with one buffer and with two: when a block copies and when it multiplies."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.errors import UserError

COPY, MULTIPLY = "copy", "multiply"
_MOST_TILES = 12


@dataclass(frozen=True)
class Span:
    """The copy or the multiplication of one K tile, in one buffer, from `start` to `end`."""

    what: str
    k_tile: int
    buffer: int
    start: float
    end: float


@dataclass(frozen=True)
class Schedule:
    """What a block does, and the times of its barriers."""

    buffers: int
    spans: tuple[Span, ...]
    barriers: tuple[float, ...]

    @property
    def end(self) -> float:
        return max(span.end for span in self.spans)

    @property
    def overlapped(self) -> int:
        """Copies that go on while another K tile is multiplied."""
        multiplied = [span for span in self.spans if span.what == MULTIPLY]
        copies = [span for span in self.spans if span.what == COPY]
        return sum(any(copy.start < other.end and other.start < copy.end for other in multiplied) for copy in copies)


def schedule(buffers: int, k_tiles: int, copy: float, multiply: float) -> Schedule:
    """The loop with one buffer or two, where each copy takes `copy` and each multiplication `multiply`."""
    if not (type(k_tiles) is int and 1 <= k_tiles <= _MOST_TILES):
        raise UserError(f"{k_tiles!r} K tiles cannot be drawn; take 1 to {_MOST_TILES}")
    if not all(isinstance(time, int | float) and 0 < time < 100 for time in (copy, multiply)):
        raise UserError("a copy and a multiplication each take a time above 0 and below 100")
    return _one_buffer(k_tiles, copy, multiply) if buffers == 1 else _two_buffers(k_tiles, copy, multiply)


def _one_buffer(k_tiles: int, copy: float, multiply: float) -> Schedule:
    """Copy, barrier, multiply, barrier."""
    spans, barriers, now = [], [], 0.0
    for k_tile in range(k_tiles):
        for what, time in ((COPY, copy), (MULTIPLY, multiply)):
            spans.append(Span(what, k_tile, 0, now, now + time))
            now += time
            barriers.append(now)
    return Schedule(1, tuple(spans), tuple(barriers))


def _two_buffers(k_tiles: int, copy: float, multiply: float) -> Schedule:
    """Wait, barrier, start the next copy, multiply."""
    spans, barriers = [Span(COPY, 0, 0, 0.0, copy)], []
    arrived, multiplied = copy, 0.0
    for k_tile in range(k_tiles):
        now = max(arrived, multiplied)
        barriers.append(now)
        if k_tile + 1 < k_tiles:
            arrived = now + copy
            spans.append(Span(COPY, k_tile + 1, (k_tile + 1) % 2, now, arrived))
        multiplied = now + multiply
        spans.append(Span(MULTIPLY, k_tile, k_tile % 2, now, multiplied))
    return Schedule(2, tuple(spans), tuple(barriers))
