"""The tile explorer's view of a student's kernel, by block, barrier interval and thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from gemmlab.cuda.arrays import array_extents
from gemmlab.cuda.sizes import sizes_of
from gemmlab.errors import UserError
from gemmlab.models.block_story import BlockStory
from gemmlab.trials.intervals import block_story
from gemmlab.trials.variant import compiled, variant

if TYPE_CHECKING:
    from gemmlab.course.lesson import Kernel
    from gemmlab.kernel.launch import Launch
    from gemmlab.kernel.program import Program

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Spot:
    """What is looked at: a block (row, column) of the grid, one of its barrier intervals, and a thread (ty, tx)."""

    block: tuple[int, int] = (0, 0)
    interval: int = 0
    thread: tuple[int, int] = (0, 0)


@dataclass
class Explorer:
    """A kernel at one shape. Blocks are run when they are looked at, each once."""

    program: Program
    launch: Launch
    shape: Shape
    k_step: int
    extents: Mapping[str, tuple]
    _stories: dict[tuple[int, int], BlockStory] = field(default_factory=dict)

    def story(self, block: tuple[int, int]) -> BlockStory:
        """The intervals of a block. UserError where there is no such block, or nothing to see."""
        if block not in self._stories:
            self._stories[block] = block_story(self.program, self.launch, self.shape, block, self.k_step, self.extents)
        return self._stories[block]

    def require(self, spot: Spot) -> Spot:
        """The spot. UserError where there is no such block, interval or thread."""
        story = self.story(spot.block)
        if spot.interval not in range(len(story.intervals)):
            raise UserError(f"there are barrier intervals 0 to {len(story.intervals) - 1}; {spot.interval!r} is none")
        (across, down, _), (ty, tx) = self.launch.block, spot.thread
        if ty not in range(down) or tx not in range(across):
            raise UserError(
                f"there is no thread (tx, ty) = ({tx}, {ty}): tx is 0 to {across - 1}, ty is 0 to {down - 1}"
            )
        return spot

    def seen(self, spot: Spot) -> tuple[BlockStory, int, int]:
        """What there is to draw of a spot that is there: the block's story, the interval and the thread's number."""
        ty, tx = spot.thread
        return self.story(spot.block), spot.interval, ty * self.launch.block[0] + tx

    def k_tiles(self, spot: Spot) -> tuple[int, ...]:
        """The K tiles that the spot's interval fills, or else uses."""
        interval = self.story(spot.block).intervals[spot.interval]
        return interval.fills or interval.uses

    def at_k_tile(self, spot: Spot, k_tile: int) -> Spot:
        """The spot in the interval that fills this K tile."""
        return replace(spot, interval=self.story(spot.block).filling(k_tile))


def explorer_of(kernel: Kernel, source: str, bodies: Mapping[str, str], shape: Shape) -> Explorer:
    """The explorer of a student's kernel, with other bodies in some of its blanks. UserError where it cannot run."""
    text = variant(kernel.starter, source, bodies) if bodies else source
    extents = {
        array.name: array.extents
        for arrays in array_extents(text).values()
        for array in arrays.values()
        if array.space == "shared"
    }
    return Explorer(compiled(kernel, text), kernel.launch.at(*shape), shape, sizes_of(kernel.starter).BK, extents)
