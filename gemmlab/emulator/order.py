"""An order of warps that a kernel allows, as the few decisions in which it differs from all warps in step."""

from __future__ import annotations

from dataclasses import dataclass

WAIT, AHEAD = "wait", "ahead"


@dataclass(frozen=True)
class Decision:
    """What is decided when a warp of a block comes to the instruction `pc` for the `time`-th time, from 1, counted for
    the lowest of `lanes` (a mask: the whole warp, or the lanes that part from it).

    WAIT: it stands there until all others can go no further, those of the blocks that come after it too. AHEAD: it goes
    on alone, as far as it can.
    """

    kind: str
    block: int
    warp: int
    lanes: int
    pc: int
    time: int


@dataclass(frozen=True)
class Order:
    """Of the launch with this number: `blocks` run one after another before all other blocks, each with its warps in
    step (every warp does one access to memory, then every warp the next) but for the decisions."""

    launch: int
    blocks: tuple[int, ...]
    decisions: tuple[Decision, ...] = ()
