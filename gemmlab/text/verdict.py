"""A Verdict as text: the state, what was found beside the student's own lines, the cases, the compiler's report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from gemmlab.kernel.kinds import KINDS
from gemmlab.kernel.verdict import CaseResult, Conditions, Finding, HoldsFor, Lines, Verdict
from gemmlab.text import sentences as say

SHOWN_FINDINGS = 12
_LINES_AROUND = 1
_COLOURS = {"passed": "green", "failed": "red", "compile_error": "red", "timeout": "red", "unattempted": "yellow"}


def print_verdict(verdict: Verdict, source: str = "", public: bool = True, console: Console | None = None) -> None:
    """Print the verdict on a kernel of this source. `public` says that its cases are a lesson's public ones."""
    (console or Console(highlight=False)).print(render(verdict, source, public))


def headline(verdict: Verdict, public: bool = True) -> str:
    """The state in a few words, such as 'public cases passed (6 of 6)'."""
    if verdict.status == "compile_error":
        return say.DOES_NOT_COMPILE()
    if verdict.status == "unattempted":
        return say.NOT_ATTEMPTED()
    right, cases = sum(case.ok for case in verdict.cases), len(verdict.cases)
    if verdict.status == "failed" and 0 < right == cases:
        return say.FAILED_ALL_RIGHT_PUBLIC(cases=cases) if public else say.FAILED_ALL_RIGHT(cases=cases)
    sentence = {
        "passed": (say.PASSED, say.PASSED_PUBLIC),
        "failed": (say.FAILED, say.FAILED_PUBLIC),
        "timeout": (say.STOPPED, say.STOPPED_PUBLIC),
    }[verdict.status][public]
    return sentence(right=right, cases=cases)


def render(verdict: Verdict, source: str = "", public: bool = True) -> RenderableType:
    """The whole report for rich; colours show on terminals and in notebooks only."""
    return Group(*_parts(verdict, source.splitlines(), public))


def _parts(verdict: Verdict, lines: list[str], public: bool) -> Iterator[RenderableType]:
    yield Text(headline(verdict, public), style=f"bold {_COLOURS[verdict.status]}")
    for finding in verdict.findings[:SHOWN_FINDINGS]:
        yield Text()
        yield from _finding(finding, lines)
    if len(verdict.findings) > SHOWN_FINDINGS:
        yield Text()
        yield Text(say.MORE_FINDINGS(more=len(verdict.findings) - SHOWN_FINDINGS))
    if verdict.order:
        yield Text()
        yield from map(Text, verdict.order["words"])
    if verdict.printed:
        yield Text()
        yield Text(say.PRINTED(), style="dim")
        yield Text(printable(verdict.printed).rstrip("\n"))
    if verdict.cases:
        yield Text()
        yield _table(verdict.cases)
        yield Text(checked_by(verdict))
    if verdict.holds_for:
        yield Text(proved(verdict.holds_for))
    yield from map(Text, ways(verdict))
    if verdict.resources:
        yield Text(resources(verdict.resources))


def _finding(finding: Finding, lines: list[str]) -> Iterator[Text]:
    colour = "red" if finding.is_error else "yellow"
    yield Text(title(finding), style=colour)
    yield Text(printable(finding.message))
    if finding.line and finding.line <= len(lines):
        yield _excerpt(lines, finding.line, finding.column, colour)


def title(finding: Finding) -> str:
    """'error: race, line 24, column 9, 12 times', and who saw it where that is not the GPU that the check is for."""
    parts = [_kind(finding)]
    parts += [say.LINE(line=finding.line)] if finding.line else []
    parts += [say.COLUMN(column=finding.column)] if finding.column else []
    parts += [say.TIMES(count=f"{finding.count:,}")] if finding.count > 1 else []
    parts += [say.SEEN_BY_EMULATOR()] if finding.details.get("by") == "emulator" else []
    return ", ".join(parts)


def _kind(finding: Finding) -> str:
    """'error: race'; a blank that is open is no error of the student's."""
    if "blank" in finding.details:
        return say.STILL_OPEN()
    kind = KINDS[finding.kind]
    return kind.title if finding.is_error else kind.title_as_warning


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
        return say.RIGHT()
    if case.wrong is None:
        return say.NO_RESULT()
    if not case.wrong.any():
        return say.RIGHT_BUT_FAULTY()
    return say.ELEMENTS_WRONG(wrong=int(case.wrong.sum()), size=case.wrong.size)


def checked_by(verdict: Verdict) -> str:
    """What ran the cases, and which faults a GPU has no sign of."""
    if verdict.backend == "emulator":
        return say.BY_EMULATOR()
    if verdict.backend != "cuda":
        return say.BY_OTHER(backend=verdict.backend)
    kinds = [KINDS[finding.kind] for finding in verdict.findings]
    unseen = dict.fromkeys(kind.words for kind in kinds if not kind.seen_by_gpu)
    return say.BY_GPU_AND_FOUND_BY_EMULATOR(kinds=", ".join(unseen)) if unseen else say.BY_GPU()


def proved(holds: HoldsFor) -> str:
    """How far it goes that no race was found."""
    if holds.schedules:
        return say.NO_RACE_IN_THIS_ORDER(why=printable(holds.schedules.message))
    if holds.data:
        return say.NO_RACE_WITH_THIS_DATA(why=printable(holds.data.message))
    if holds.numbers:
        return say.NO_RACE_WITH_NUMBERS(numbers=" and ".join(holds.numbers))
    return say.NO_RACE_AT_ALL()


def ways(verdict: Verdict) -> Iterator[str]:
    """Which ways the kernel's conditions went, of one that passed, and which shapes were added for it."""
    conditions = verdict.conditions or Conditions()
    if conditions.because:
        yield say.NOT_FOLLOWED(because=printable(conditions.because))
    for one in conditions.added:
        yield say.ADDED(**_place(one))
    if not verdict.passed or not conditions.count:
        return
    known = {"ways": conditions.ways, "count": conditions.count}
    if conditions.left:
        yield say.LEFT(**_place(conditions.left[0]))
    else:
        yield say.EVERY_WAY_FOUND(**known, tried=conditions.tried) if conditions.tried else say.EVERY_WAY(**known)


def _place(one: Lines) -> dict[str, object]:
    """The shape and the lines, as fields."""
    where = say.IN_LINES(lines=", ".join(map(str, one.lines))) if one.lines else say.IN_NO_LINE()
    return {**dict(zip("MNK", one.shape)), "where": where}


def resources(used: dict) -> str:
    """What the compiler says that the kernel takes."""
    known = {"registers": used["registers"], "shared": used["shared_bytes"], "arch": used["arch"]}
    spilled = used["spill_store_bytes"] + used["spill_load_bytes"]
    if spilled:
        return say.RESOURCES_AND_SPILLS(**known, spilled=spilled)
    return say.RESOURCES(**known)
