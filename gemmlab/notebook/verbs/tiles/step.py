"""lesson.step((35, 45, 25), 5)"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.models.simulator import steps
from gemmlab.notebook.arguments import Shape, sizes
from gemmlab.notebook.desk import Desk
from gemmlab.notebook.registry import verb
from gemmlab.pictures.output import show_picture

if TYPE_CHECKING:
    from gemmlab.pictures.picture import Picture

MOST_WORK = 2**20  # products M·N·K
_SEED = 2


@verb
def step(desk: Desk, shape: Shape, number: int = 0) -> None:
    """One step of the tiled multiplication, played in NumPy on whole numbers; a slider leads to the others."""
    from gemmlab.panels.slider import show_with_slider

    pictures = StepPictures(sizes(shape), desk.lesson.tile)
    if number not in range(len(pictures)):
        raise UserError(f"there are {len(pictures)} steps, 0 to {len(pictures) - 1}; {number!r} is none of them")
    if desk.solved:
        show_picture(pictures[number])
    else:
        show_with_slider(pictures, number, "step")


class StepPictures(Sequence):
    """Blocks row by row, and in each block its tiles along K. `shape` is (M, N, K), UserError where it is too large."""

    def __init__(self, shape: tuple[int, int, int], tile: int) -> None:
        if prod(shape) > MOST_WORK:
            raise UserError(f"the shape {shape} is too large to step through; take one like 35, 45, 25")
        A, B = make_inputs("integer", shape, _SEED)
        self._shape, self._steps = shape, list(steps(A, B, tile))

    def __len__(self) -> int:
        return len(self._steps)

    def __getitem__(self, number: int) -> Picture:
        from gemmlab.pictures.tiles.step import step_picture

        step = self._steps[number]
        before = self._steps[number - 1].acc if step.k_tile else np.zeros_like(step.acc)
        return step_picture(step, before, self._shape)
