"""lesson.fusion((512, 11008, 4096))"""

from __future__ import annotations

from gemmlab.models.networks import fusion as model
from gemmlab.notebook import arguments
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def fusion(desk: Desk, shape: tuple[int, int, int]) -> None:
    """The bytes of silu(A·B + bias) at a shape, in one kernel and in three."""
    if desk.owes(*map(desk.prediction, ("separate_bytes", "fused_bytes"))):
        return
    show(Markdown(model.table(arguments.sizes(shape))))
