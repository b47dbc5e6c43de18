"""lesson.edges((35, 45, 25))"""

from __future__ import annotations

from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture


@verb
def edges(desk: Desk, shape: Shape) -> None:
    """Draw which tiles hang over the edges of A, B and C."""
    from gemmlab.models.edges import edges_of
    from gemmlab.pictures.tiles.edges import edge_picture

    shape, tile = sizes(shape), desk.lesson.kernel.tile
    show_picture(edge_picture(edges_of(shape, tile), shape, tile))
