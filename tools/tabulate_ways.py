"""Which ways the conditions of every lesson's solution go at its public and at its hidden cases: docs/every_shape.md.

python tools/tabulate_ways.py          # prints the table, and writes it into the page
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from gemmlab.check.own_shapes import MOST_ADDED
from gemmlab.course.lesson import Kernel, load_all
from gemmlab.emulator.sizes.outcomes import LAUNCHED, outcomes_at
from gemmlab.emulator.sizes.search import shapes_for_the_missing
from gemmlab.trials.candidate import Candidate
from grading.marking.cases import draw

PAGE = Path(__file__).resolve().parents[1] / "docs/every_shape.md"
SECRET = bytes(32)
HEAD = """\
| kernel | conditions | ways | at the public cases | at hidden cases | shapes tried | a check adds |
|:--|--:|--:|--:|--:|--:|:--|"""


def main() -> None:
    rows = [row for lesson in load_all() for kernel in lesson.kernels if not kernel.devices for row in _rows(kernel)]
    table = "\n".join([HEAD, *rows])
    print(table)
    text = PAGE.read_text("utf-8")
    marks = "<!-- table: tools/tabulate_ways.py -->\n", "\n<!-- end of table -->"
    PAGE.write_text(re.sub(f"({marks[0]}).*?({marks[1]})", rf"\1\n{table}\n\2", text, flags=re.S), "utf-8")


def _rows(kernel: Kernel) -> Iterator[str]:
    source = kernel.solution or ""
    spec = kernel.launches_of(source)
    shapes = [case.shape for case in kernel.cases]
    program = Candidate(source, "kernel.cu", spec).compiled(shapes=shapes)
    public = outcomes_at(program, spec, shapes)
    hidden = outcomes_at(program, spec, [case.shape for case in draw(kernel, SECRET)])
    found = shapes_for_the_missing(program, spec, public, MOST_ADDED)
    more = {one for taken in (found.shapes, found.left) for outcomes in taken.values() for one in outcomes}
    here, there, ways = (
        {one for one in some if one.number != LAUNCHED}
        for some in (public.reached, hidden.reached, {*public.reached, *hidden.reached, *more})
    )
    added = ", ".join("×".join(map(str, shape)) for shape in found.shapes)
    numbers = (len({(one.kernel, one.number) for one in ways}), len(ways), len(here), len(there))
    yield f"| {kernel.name} | {' | '.join(map(str, numbers))} | {found.tried or ''} | {added} |"


if __name__ == "__main__":
    main()
