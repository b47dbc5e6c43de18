"""A Profile as text: what was found, the source with its counters beside it, the sums, and what the kernel takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from gemmlab.check.profile import KernelUse, Profile
from gemmlab.kernel.counters import LineCounters
from gemmlab.text import sentences as say
from gemmlab.text.prediction import time_of, told
from gemmlab.text.verdict import printable, render

if TYPE_CHECKING:
    from gemmlab.model import Prediction

_NARROW = 100  # columns; what is not a terminal gets the lines whole

# A column of the source: its head, and what it shows of a line, None for nothing.
_COLUMNS: tuple[tuple[str, Callable[[LineCounters], float | None]], ...] = (
    ("instr.", lambda c: c.instructions),
    ("FMA", lambda c: c.fma + c.tensor_fma or None),
    ("global\nrequests", lambda c: _sum(c, "global", "requests")),
    ("global\nsectors", lambda c: _sum(c, "global", "sectors")),
    ("sectors/\nrequest", lambda c: _sectors_per_request(c)),
    ("bytes to\nother dev.", lambda c: _sum(c, "peer", "bytes")),
    ("shared\nrequests", lambda c: _executed(c, "requests")),
    ("wave-\nfronts", lambda c: _executed(c, "wavefronts")),
    ("bank\nconflicts", lambda c: _executed(c, "conflicts")),
)

# A row of the sums: what it is, and the prefix of its fields.
_ROWS = (
    ("global loads", "global_load"),
    ("global stores", "global_store"),
    ("global atomics", "global_atomic"),
    ("  loads from other devices", "peer_load"),
    ("  stores to other devices", "peer_store"),
    ("  atomics on other devices", "peer_atomic"),
    ("shared loads", "shared_load"),
    ("  as ptxas joins them", "widened_load"),
    ("shared stores", "shared_store"),
    ("  as ptxas joins them", "widened_store"),
    ("shared atomics", "shared_atomic"),
    ("local loads", "local_load"),
    ("local stores", "local_store"),
)
_FIELDS = ("requests", "sectors", "wavefronts", "conflicts", "bytes")


def print_profile(profile: Profile, console: Console | None = None) -> None:
    """Print the profile. Without a terminal the lines are as long as they need to be."""
    console = console or Console(highlight=False)
    if not console.is_terminal:
        longest = max((len(line) for line in profile.source.expandtabs(4).splitlines()), default=0)
        console.width = max(console.width, longest + _NARROW)
    console.print(render_profile(profile))


def render_profile(profile: Profile) -> RenderableType:
    return Group(*_parts(profile))


def _parts(profile: Profile) -> Iterator[RenderableType]:
    M, N, K = profile.shape
    yield Text(say.PROFILE(M=M, N=N, K=K), style="bold")
    if not profile.verdict.passed or profile.verdict.findings:
        yield Text()
        yield render(profile.verdict, profile.source, public=False)
    if profile.counters is None:
        return
    if not profile.verdict.passed:
        yield Text(f"\n{say.NOT_RIGHT_YET()}", style="yellow")
    yield Text()
    yield _source(profile)
    yield Text(f"\n{say.SUMS()}\n", style="bold")
    yield _sums(profile.counters.totals)
    yield from _ratios(profile.counters.totals)
    for kernel in profile.kernels:
        yield Text(f"\n{_use(kernel, profile.arch)}")
    if profile.prediction:
        yield Text()
        yield from map(Text, told(profile.prediction))
        yield _reasons(profile.prediction)


def _source(profile: Profile) -> Table:
    """Every line of the source with its counters; columns that stay empty are left out."""
    lines = profile.counters.lines
    columns = [column for column in _COLUMNS if any(column[1](counts) is not None for counts in lines.values())]
    times = time_of(profile.prediction) if profile.prediction else {}
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1))
    for head, _ in columns:
        table.add_column(head, justify="right", no_wrap=True, vertical="bottom")
    if times:
        table.add_column(say.SHARE_OF_TIME(), justify="right", no_wrap=True, vertical="bottom")
    table.add_column("line", justify="right", no_wrap=True, style="dim", vertical="bottom")
    table.add_column("source", no_wrap=True, overflow="ellipsis", vertical="bottom")
    for number, text in enumerate(profile.source.splitlines(), 1):
        counts = lines.get(number)
        cells = [_number(value(counts)) if counts else "" for _, value in columns]
        cells += [f"{100 * times[number]:.1f}" if number in times else ""] if times else []
        table.add_row(*cells, str(number), Text(printable(text)))
    return table


def _reasons(prediction: Prediction) -> Table:
    """Each reason with its cycles, its share of the time, and what it is."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1))
    for reason in prediction.reasons:
        cycles = say.CYCLES(cycles=_number(round(reason.cycles)))
        table.add_row(reason.name, f"{100 * reason.share:.0f} %", cycles, Text(reason.what))
    return table


def _sums(totals: LineCounters) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("")
    for name in _FIELDS:
        table.add_column(name, justify="right")
    for name, prefix in _ROWS:
        if _is_shown(prefix, totals):
            table.add_row(name, *(_number(getattr(totals, f"{prefix}_{field}", None)) for field in _FIELDS))
    return table


def _is_shown(prefix: str, totals: LineCounters) -> bool:
    """A row is left out where there is nothing; so is what ptxas joins where it joins nothing."""
    requests = getattr(totals, f"{prefix}_requests")
    if prefix.startswith("widened"):
        return requests != getattr(totals, f"{prefix.replace('widened', 'shared')}_requests")
    return requests > 0


def _ratios(totals: LineCounters) -> Iterator[Text]:
    yield Text()
    yield Text(say.WORK(fma=_number(totals.fma + totals.tensor_fma), instructions=_number(totals.instructions)))
    loads, stores = _number(totals.load_sectors_per_request), _number(totals.store_sectors_per_request)
    if totals.load_sectors_per_request and totals.store_sectors_per_request:
        yield Text(say.SECTORS_PER_REQUEST(loads=loads, stores=stores))
    elif totals.load_sectors_per_request:
        yield Text(say.SECTORS_PER_LOAD(loads=loads))
    elif totals.store_sectors_per_request:
        yield Text(say.SECTORS_PER_STORE(stores=stores))
    asked, joined = totals.shared_loads_per_fma, totals.widened_loads_per_fma
    if asked and joined != asked:
        yield Text(say.SHARED_LOADS_JOINED(loads=_number(asked), joined=_number(joined)))
    elif asked:
        yield Text(say.SHARED_LOADS(loads=_number(asked)))


def _use(kernel: KernelUse, arch: str | None) -> str:
    found, full = kernel.resources, kernel.occupancy
    return say.KERNEL_USE(
        kernel=kernel.name,
        arch=arch,
        registers=found.registers,
        shared=found.shared_bytes + kernel.launch.smem,
        spilled=found.spill_store_bytes + found.spill_load_bytes,
        percent=100 * full.fraction,
        blocks=full.blocks_per_sm,
        warps=full.warps_per_sm,
        limits=", ".join(full.limited_by),
    )


def _sum(counts: LineCounters, space: str, what: str) -> int | None:
    """Loads, stores and atomics together; None where there are none."""
    kinds = ("load", "store", "atomic")
    total = sum(getattr(counts, f"{space}_{kind}_{what}", 0) for kind in kinds)
    return total if any(getattr(counts, f"{space}_{kind}_requests") for kind in kinds) else None


def _executed(counts: LineCounters, what: str) -> int | None:
    """Of shared memory, after ptxas has joined neighbouring accesses; None where the source has none."""
    if _sum(counts, "shared", "requests") is None:
        return None
    joined = getattr(counts, f"widened_load_{what}") + getattr(counts, f"widened_store_{what}")
    return joined + getattr(counts, f"shared_atomic_{what}", 0)


def _sectors_per_request(counts: LineCounters) -> float | None:
    requests, sectors = _sum(counts, "global", "requests"), _sum(counts, "global", "sectors")
    return sectors / requests if sectors is not None and requests else None


def _number(value: float | None) -> str:
    """131072 -> '131,072', 1.25 -> '1.25'; nothing for None."""
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}".rstrip("0").rstrip(".")
