"""lesson.recorded_fusion()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_fusion(desk: Desk) -> None:
    """One fused kernel beside cuBLAS and two kernels of CuPy's, as recorded."""
    from gemmlab.records.fused import recorded_table

    if desk.owes(*map(desk.prediction, ("separate_bytes", "fused_bytes", "even_K", "speedup"))):
        return
    show(Markdown(recorded_table()))
