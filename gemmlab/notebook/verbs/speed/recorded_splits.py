"""lesson.recorded_splits()"""

from __future__ import annotations

from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import Markdown, show


@verb
def recorded_splits(desk: Desk) -> None:
    """Kernels for few rows or long sums on a recorded GPU: times, share of cuBLAS, share of the copy bandwidth."""
    from gemmlab.records.results import all_results
    from gemmlab.text.skinny import skinny_table

    for results in all_results():
        show(Markdown(skinny_table(results)))
