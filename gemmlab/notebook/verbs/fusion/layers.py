"""lesson.layers(tokens=512)"""

from __future__ import annotations

from gemmlab.errors import UserError
from gemmlab.models.networks import layers as model
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def layers(desk: Desk, tokens: int = 512, width: int = 4096, hidden: int = 11008, heads: int = 32) -> None:
    """The products of one block of a language model, for a text of so many tokens."""
    sizes = (tokens, width, hidden, heads)
    if not all(type(size) is int and 1 <= size <= 1 << 20 for size in sizes) or width % heads:
        raise UserError("tokens, width, hidden and heads are whole numbers above 0, and the heads divide the width")
    show(Markdown(model.table(model.products(*sizes))))
