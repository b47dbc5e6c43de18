"""A verdict as a page: the state, each finding beside the student's own lines, and the cases as a table."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from gemmlab.kernel.verdict import CaseResult, Finding, Verdict
from gemmlab.pictures.output import Report
from gemmlab.text.verdict import (
    SHOWN_FINDINGS,
    checked_by,
    excerpt,
    headline,
    printable,
    proved,
    render,
    resources,
    result,
    title,
    ways,
)

_BAD, _GOOD, _OPEN = "#d55e00", "#009e73", "#b07a00"  # readable on white and on black
_STATES = {"passed": (_GOOD, "✔"), "unattempted": (_OPEN, "○")}
_FAILED = (_BAD, "✘")
_HEADS, _WORDS = ("M", "N", "K", "inputs", "result", "largest error"), ("inputs", "result")
_LEFT = ' style="text-align: left"'


class VerdictReport:
    """The report on a kernel of this source; as text it is what the command line prints."""

    def __init__(self, verdict: Verdict, source: str, stamp: str = "") -> None:
        """`stamp` says which file was checked, and when."""
        self.verdict, self.source, self.stamp = verdict, source, stamp

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        text = Report(render(self.verdict, self.source))._repr_mimebundle_()["text/plain"]
        html = "".join(_parts(self.verdict, self.source.splitlines()))
        if self.stamp:
            html, text = f"{html}<p>{escape(self.stamp)}</p>", f"{text}\n{self.stamp}"
        return {"text/html": html, "text/plain": text}


def _parts(verdict: Verdict, lines: list[str]) -> Iterator[str]:
    color, sign = _STATES.get(verdict.status, _FAILED)
    yield f'<p style="color: {color}; font-size: 115%"><b>{sign} {escape(headline(verdict))}</b></p>'
    for finding in verdict.findings[:SHOWN_FINDINGS]:
        yield _finding(finding, lines)
    if len(verdict.findings) > SHOWN_FINDINGS:
        yield f"<p>… and {len(verdict.findings) - SHOWN_FINDINGS} more.</p>"
    if verdict.printed:
        yield f"<p>The kernel printed:</p><pre>{escape(printable(verdict.printed).rstrip())}</pre>"
    if verdict.cases:
        yield _table(verdict.cases)
        yield f"<p>{escape(checked_by(verdict))}"
        yield f" {escape(proved(verdict.holds_for))}" if verdict.holds_for else ""
        yield from (f" {escape(sentence)}" for sentence in ways(verdict))
        yield f" {escape(resources(verdict.resources))}.</p>" if verdict.resources else "</p>"


def _finding(finding: Finding, lines: list[str]) -> str:
    """What was found, in words and at its line. The line is marked with a sign as well as with a colour."""
    color = _BAD if finding.is_error else _OPEN
    text = f'<p><b style="color: {color}">{escape(title(finding))}</b><br>{escape(printable(finding.message))}</p>'
    if not finding.line or finding.line > len(lines):
        return text
    code = [
        f'<b style="color: {color}">{escape(line)}</b>' if is_marked else escape(line)
        for line, is_marked in excerpt(lines, finding.line, finding.column)
    ]
    frame = f"border-left: 3px solid {color}; padding-left: 0.6em; margin: 0.3em 0 0.8em; overflow-x: auto"
    return f'{text}<pre style="{frame}">{"<br>".join(code)}</pre>'


def _table(cases: tuple[CaseResult, ...]) -> str:
    heads = "".join(f'<th scope="col"{_LEFT if head in _WORDS else ""}>{head}</th>' for head in _HEADS)
    rows = "".join(map(_row, cases))
    return f'<table style="margin-left: 0"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def _row(case: CaseResult) -> str:
    color, sign = (_GOOD, "✔") if case.ok else _FAILED
    error = "" if case.max_error is None else f"{case.max_error:.2g}"
    sizes = "".join(f"<td>{size}</td>" for size in case.shape)
    found = f'<td style="text-align: left; color: {color}">{sign} {escape(result(case))}</td>'
    return f"<tr>{sizes}<td{_LEFT}>{escape(case.inputs)}</td>{found}<td>{error}</td></tr>"
