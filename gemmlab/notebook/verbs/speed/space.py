"""lesson.space(threads="…", shared="…", registers="…")"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.models.autotune import RULES, Rule, pruned_by, value_of
from gemmlab.models.autotune import space as configurations
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def space(desk: Desk, threads: str | None = None, shared: str | None = None, registers: str | None = None) -> None:
    """Compare the three rules of the search with the right ones over all configurations."""
    given = {"threads": threads, "shared": shared, "registers": registers}
    rows = [_row(rule, rule.expression if desk.solved else given[rule.name]) for rule in RULES]
    head = ["| what | at most | your expression | |", "|:--|--:|:--|:--|"]
    show(Markdown("\n".join(head + [f"| {' | '.join(row)} |" for row, _ in rows])))
    if all(is_right for _, is_right in rows):
        show(Markdown(_left()))
        desk.note("space", right=True)


def _row(rule: Rule, expression: str | None) -> tuple[list[str], bool]:
    start = [rule.what, f"{rule.most:,}"]
    if expression is None:
        return [*start, "", "not attempted"], False
    if not isinstance(expression, str):
        raise UserError(f"{expression!r} is no expression: write it in quotes, such as 'BM * BN'")
    candidates = configurations()
    wrong = [sizes for sizes in candidates if value_of(expression, sizes) != rule.value(sizes)]
    said = f"right for all {len(candidates)} configurations"
    if wrong:
        yours, real = value_of(expression, wrong[0]), rule.value(wrong[0])
        said = f"wrong for {len(wrong)} of {len(candidates)}; for {wrong[0]} it gives {yours:,} and should be {real:,}"
    return [*start, f"`{expression}`", said], not wrong


def _left() -> str:
    reasons = [pruned_by(sizes) for sizes in configurations()]
    parts = [f"{reasons.count(reason)} by {reason}" for reason in dict.fromkeys(filter(None, reasons))]
    return f"Of {len(reasons)} configurations {reasons.count(None)} are left. Ruled out are {', '.join(parts)}."
