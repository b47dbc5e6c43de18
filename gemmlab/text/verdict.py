"""A Verdict as text: the state, what was found beside the student's own lines, the cases, the compiler's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from gemmlab.kernel.verdict import CaseResult, Finding, Verdict

SHOWN_FINDINGS = 12
_LINES_AROUND = 1
_COLOURS = {"passed": "green", "failed": "red", "compile_error": "red", "timeout": "red", "unattempted": "yellow"}
_CHECKED_BY = {"emulator": "by the emulator, on this machine's CPU", "cuda": "on the GPU and by the emulator"}


def print_verdict(
    verdict: Verdict, source: str = "", what: str = "public cases", console: Console | None = None
) -> None:
    """Print the verdict on a kernel of this source. `what` names the cases that were run."""
    (console or Console(highlight=False)).print(render(verdict, source, what))


def headline(verdict: Verdict, what: str = "public cases") -> str:
    """The state in a few words, such as 'public cases passed (6 of 6)'."""
    right = f"{sum(case.ok for case in verdict.cases)} of {len(verdict.cases)}"
    return {
        "passed": f"{what} passed ({right})",
        "failed": f"failed ({right} {what} passed)",
        "timeout": f"stopped, out of time ({right} {what} passed until then)",
        "compile_error": "does not compile",
        "unattempted": "not attempted",
    }[verdict.status]


def render(verdict: Verdict, source: str = "", what: str = "public cases") -> RenderableType:
    """The whole report for rich; colours show on terminals and in notebooks only."""
    return Group(*_parts(verdict, source.splitlines(), what))


def _parts(verdict: Verdict, lines: list[str], what: str) -> Iterator[RenderableType]:
    yield Text(headline(verdict, what), style=f"bold {_COLOURS[verdict.status]}")
    for finding in verdict.findings[:SHOWN_FINDINGS]:
        yield Text()
        yield from _finding(finding, lines)
    if len(verdict.findings) > SHOWN_FINDINGS:
        yield Text(f"\n... and {len(verdict.findings) - SHOWN_FINDINGS} more; --json lists all of them.")
    if verdict.printed:
        yield Text("\nThe kernel printed:", style="dim")
        yield Text(printable(verdict.printed).rstrip("\n"))
    if verdict.cases:
        yield Text()
        yield _table(verdict.cases)
        yield Text(checked_by(verdict))
    if verdict.resources:
        yield Text(resources(verdict.resources))


def _finding(finding: Finding, lines: list[str]) -> Iterator[Text]:
    colour = "red" if finding.is_error else "yellow"
    yield Text(title(finding), style=colour)
    yield Text(printable(finding.message))
    if finding.line and finding.line <= len(lines):
        yield _excerpt(lines, finding.line, finding.column, colour)


def title(finding: Finding) -> str:
    """'error: race, line 24, column 9, 12 times'."""
    places = [f"{what} {place}" for what, place in (("line", finding.line), ("column", finding.column)) if place]
    times = [f"{finding.count} times"] if finding.count > 1 else []
    return ", ".join([_kind(finding), *places, *times])


def _kind(finding: Finding) -> str:
    """'error: race'; a blank that is open and a remark of the compiler are no errors of the student's."""
    if "blank" in finding.details:
        return "still open"
    if finding.kind == "compile_error" and not finding.is_error:
        return "warning of the compiler"
    return f"{finding.severity}: {finding.kind.replace('_', ' ')}"


def _excerpt(lines: list[str], line: int, column: int | None, colour: str) -> Text:
    text = Text(no_wrap=True, overflow="ellipsis")
    for content, is_marked in excerpt(lines, line, column):
        text.append(f"{content}\n", style=colour if is_marked else "dim")
    text.rstrip()
    return text


def excerpt(lines: Sequence[str], line: int, column: int | None) -> Iterator[tuple[str, bool]]:
    """The student's line between its neighbours, each with its number, and whether it is the one that is meant."""
    for number in range(max(1, line - _LINES_AROUND), min(len(lines), line + _LINES_AROUND) + 1):
        yield f"{'>' if number == line else ' '} {number:4} | {printable(lines[number - 1])}", number == line
        if number == line and column:
            yield f"{'':7}| {len(printable(lines[line - 1][: column - 1])) * ' '}^", True


def printable(text: str) -> str:
    """The text with tabs as spaces and without characters that would steer a terminal."""
    return "".join(
        char if char.isprintable() or char == "\n" else "\N{REPLACEMENT CHARACTER}" for char in text.expandtabs(4)
    )


def _table(cases: tuple[CaseResult, ...]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("M", "N", "K"):
        table.add_column(name, justify="right")
    for name in ("inputs", "result", "largest error"):
        table.add_column(name)
    for case in cases:
        error = "" if case.max_error is None else f"{case.max_error:.2g}"
        table.add_row(
            *map(str, case.shape), case.inputs, Text(result(case), style="green" if case.ok else "red"), error
        )
    return table


def result(case: CaseResult) -> str:
    """What became of a case, in a few words."""
    if case.ok:
        return "right"
    if case.wrong is None:
        return "no result"
    if not case.wrong.any():
        return "right numbers, but a fault was found"
    return f"{int(case.wrong.sum())} of {case.wrong.size} elements wrong"


def checked_by(verdict: Verdict) -> str:
    """What ran the cases."""
    return f"Checked {_CHECKED_BY.get(verdict.backend, verdict.backend)}."


def resources(used: dict) -> str:
    """What the compiler says that the kernel takes."""
    text = f"Registers a thread: {used['registers']}, shared memory a block: {used['shared_bytes']} bytes"
    spilled = used["spill_store_bytes"] + used["spill_load_bytes"]
    return f"{text}, spilled: {spilled} bytes" if spilled else text
