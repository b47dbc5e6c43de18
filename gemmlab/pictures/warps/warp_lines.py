"""One line of the kernel as its warp meets memory: the sectors of a global request, or the banks of a shared one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gemmlab.markdown import escape, plain
from gemmlab.models.requests import LineRequests
from gemmlab.pictures.picture import Picture
from gemmlab.pictures.speed.profile import in_code
from gemmlab.pictures.warps.banks import bank_picture
from gemmlab.pictures.warps.warp import warp_picture


def line_picture(versions: Mapping[str, LineRequests], number: int) -> Picture:
    """Request `number` of the line, one panel a version of the kernel, by its name. All go to one kind of memory."""
    first = next(iter(versions.values()))
    numbers = {name: min(number, len(line.requests) - 1) for name, line in versions.items()}
    if first.is_global:
        requests = [line.in_sectors(numbers[name]) for name, line in versions.items()]
        return warp_picture(requests, f"Request {number}", list(versions) if len(versions) > 1 else ())
    return bank_picture(
        {
            (f"{name}, {line.name}" if len(versions) > 1 else line.name): line.in_banks(numbers[name])
            for name, line in versions.items()
        }
    )


def lines_table(source: str, before: Sequence[LineRequests], after: Sequence[LineRequests] = ()) -> str:
    """All lines as a Markdown table: requests, and what one costs on average; `after` is of a changed kernel."""
    text = source.splitlines()
    rows = [_row(one, text) for one in before]
    table = ["| line | source | request | requests | a request costs |", "|--:|:--|:--|--:|--:|", *rows]
    if after:
        table += ["| | | **after the change** | | |", *(_row(one, None) for one in after)]
    return "\n".join(table)


def _row(one: LineRequests, text: Sequence[str] | None) -> str:
    code = in_code(text[one.line - 1]) if text and 0 < one.line <= len(text) else ""
    cost = sum(one.costs) / len(one.costs)
    unit = ("sector" if one.is_global else "wavefront") + "s" * (cost != 1)
    what = "store to" if one.is_store else "load from"
    return f"| {one.line} | {code} | {what} {escape(one.array)} | {len(one.requests)} | {plain(cost)} {unit} |"
