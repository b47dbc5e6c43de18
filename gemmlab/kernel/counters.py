"""What a launch did to memory, by source line, named as Nsight Compute names it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields

from gemmlab.kernel.warp import WARP

_RATIOS = ("load_sectors_per_request", "store_sectors_per_request", "shared_loads_per_fma", "widened_loads_per_fma")


@dataclass(frozen=True)
class LineCounters:
    """Sums over all warps of a launch, of one source line or of all.

    A request is one memory instruction of one warp. `sectors` are the 32-byte pieces that it touches, `wavefronts` the
    passes that it takes through the banks of shared memory, `conflicts` those beyond what it would take without bank
    conflicts, `bytes` what its threads asked for. An asynchronous copy counts as a load from global memory and as a
    store to shared memory; the latter is in `async_copy` once more. `fma` counts threads, `tensor_fma` the
    multiply-adds of tensor instructions, `instructions` and `barriers` warps.

    Accesses to shared memory are counted as the source has them. `widened` ones are what a GPU executes after ptxas has
    joined neighbours (see widening.py). What goes to another device's memory is in `global`, and in `peer` once more.
    """

    instructions: int = 0
    barriers: int = 0
    fma: int = 0
    tensor_fma: int = 0
    global_load_requests: int = 0
    global_load_sectors: int = 0
    global_load_bytes: int = 0
    global_store_requests: int = 0
    global_store_sectors: int = 0
    global_store_bytes: int = 0
    global_atomic_requests: int = 0
    global_atomic_sectors: int = 0
    global_atomic_bytes: int = 0
    shared_load_requests: int = 0
    shared_load_wavefronts: int = 0
    shared_load_conflicts: int = 0
    shared_load_bytes: int = 0
    shared_store_requests: int = 0
    shared_store_wavefronts: int = 0
    shared_store_conflicts: int = 0
    shared_store_bytes: int = 0
    shared_atomic_requests: int = 0
    widened_load_requests: int = 0
    widened_load_wavefronts: int = 0
    widened_load_conflicts: int = 0
    widened_store_requests: int = 0
    widened_store_wavefronts: int = 0
    widened_store_conflicts: int = 0
    async_copy_requests: int = 0
    async_copy_wavefronts: int = 0
    async_copy_conflicts: int = 0
    local_load_requests: int = 0
    local_load_sectors: int = 0
    local_store_requests: int = 0
    local_store_sectors: int = 0
    peer_load_requests: int = 0
    peer_load_sectors: int = 0
    peer_load_bytes: int = 0
    peer_store_requests: int = 0
    peer_store_sectors: int = 0
    peer_store_bytes: int = 0
    peer_atomic_requests: int = 0
    peer_atomic_sectors: int = 0
    peer_atomic_bytes: int = 0

    def __add__(self, other: LineCounters) -> LineCounters:
        return LineCounters(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))

    @property
    def load_sectors_per_request(self) -> float | None:
        """Of loads from global memory; None where there are none."""
        return _ratio(self.global_load_sectors, self.global_load_requests)

    @property
    def store_sectors_per_request(self) -> float | None:
        return _ratio(self.global_store_sectors, self.global_store_requests)

    @property
    def shared_loads_per_fma(self) -> float | None:
        """Loads from shared memory, of whatever width, that a thread makes for each of its multiply-adds."""
        return _ratio(WARP * self.shared_load_requests, self.fma)

    @property
    def widened_loads_per_fma(self) -> float | None:
        return _ratio(WARP * self.widened_load_requests, self.fma)

    def to_json(self) -> dict:
        """Every count, and the ratios of those that are there."""
        return asdict(self) | {name: getattr(self, name) for name in _RATIOS}


def _ratio(over: int, under: int) -> float | None:
    return over / under if under else None


@dataclass(frozen=True)
class Touched:
    """A request to global memory: the name of the array, how many words of four bytes it touched, the most of them
    that lie in one of the 32 banks of the L1 cache, and the bytes that its lanes asked for, each for its own."""

    array: str
    words: float
    in_a_bank: int
    bytes: int


@dataclass(frozen=True)
class Counters:
    """`lines` has the source lines that did something, in order; line 0 stands for code of no line. Of the last request
    of each of them to global memory, where it was asked for, `cache_lines` says how many lines of 128 bytes it touched,
    and `touched` of which array."""

    lines: dict[int, LineCounters] = field(default_factory=dict)
    cache_lines: dict[int, int] = field(default_factory=dict)
    touched: dict[int, Touched] = field(default_factory=dict)

    @property
    def totals(self) -> LineCounters:
        return sum(self.lines.values(), LineCounters())


def joined(parts: Iterable[Counters]) -> Counters:
    """The counters of several launches of one source."""
    lines: dict[int, LineCounters] = {}
    cache_lines: dict[int, int] = {}
    touched: dict[int, Touched] = {}
    for part in parts:
        cache_lines |= part.cache_lines
        touched |= part.touched
        for line, counters in part.lines.items():
            lines[line] = lines.get(line, LineCounters()) + counters
    return Counters(dict(sorted(lines.items())), cache_lines, touched)
