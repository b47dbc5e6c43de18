"""lesson.attention(batch=2, heads=3, tokens=20, depth=16)"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show

_MOST_WORK = 1 << 22  # multiply-adds, a few seconds in the emulator


@verb
def attention(
    desk: Desk, batch: int = 2, heads: int = 3, tokens: int = 20, depth: int = 16, change: tuple[str, str] | None = None
) -> None:
    """Run attention's scores as a batch of products in the emulator and compare them with NumPy. `change` puts another
    text in place of one in the kernel."""
    from gemmlab.check.attention import SOURCE, check_scores
    from gemmlab.pictures.verdict import VerdictReport

    sizes = (batch, heads, tokens, depth)
    if not all(type(size) is int and size >= 1 for size in sizes) or batch * heads * tokens**2 * depth > _MOST_WORK:
        raise UserError(
            "batch, heads, tokens and depth are whole numbers above 0, and small: the emulator runs them all"
        )
    source = SOURCE.read_text(encoding="utf-8")
    if change and change[0] not in source:
        raise UserError(f"{change[0]!r} does not stand in the kernel")
    source = source.replace(*change) if change else source
    show(Markdown(_shapes(*sizes)))
    show(VerdictReport(check_scores(source, batch * heads, tokens, depth, "emulator"), source))


def _shapes(batch: int, heads: int, tokens: int, depth: int) -> str:
    count = batch * heads
    return (
        f"Q and K are [{batch}, {heads}, {tokens}, {depth}], the scores [{batch}, {heads}, {tokens}, {tokens}]: "
        f"{count} products of M, N, K = {tokens}, {tokens}, {depth}. From one Q to the next it is {tokens * depth} "
        f"floats, from one C to the next {tokens * tokens}."
    )
