"""lesson.banks("tx * 4", "ty * 4 * 16")"""

from __future__ import annotations

from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def banks(desk: Desk, *expressions: str, width: int = 1, after: str | None = None) -> None:
    """Draw which banks the lanes of a warp touch: `expressions` say which float, in C, over tx, ty, r and c.

    `after` names a prediction that the picture would give away.
    """
    from gemmlab.models.banks import request
    from gemmlab.pictures.warps.banks import bank_picture

    if after and desk.owes(desk.prediction(after)):
        return
    if not expressions:
        raise UserError('say which float each lane touches, in C, such as lesson.banks("c * 64 + r")')
    known = sizes_of(desk.lesson.kernel.starter)
    show_picture(bank_picture({expression: request(expression, known, width) for expression in expressions}))
