"""Where tiles hang over the edges of A, B and C, counted on the tiles that the simulator plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gemmlab.models.simulator import steps


@dataclass(frozen=True)
class Edges:
    """What does not fit at a shape (M, N, K).

    `outside` has, for each of A, B and C, the number of slots outside the matrix in each of its tiles. `steps` counts
    the steps of all blocks, `filled_steps` those with a slot to fill with 0, `slots` the multiply-adds that all threads
    do, `useful` those that count.
    """

    outside: dict[str, np.ndarray]
    steps: int
    filled_steps: int
    slots: int
    useful: int

    @property
    def blocks_over(self) -> int:
        """Blocks whose tile of C hangs over an edge."""
        return int((self.outside["C"] > 0).sum())

    @property
    def idle_threads(self) -> int:
        """Threads that have no element of C."""
        return int(self.outside["C"].sum())

    @property
    def wasted(self) -> float:
        """Share of the multiply-adds that no element of C needs."""
        return 1 - self.useful / self.slots


def edges_of(shape: tuple[int, int, int], tile: int) -> Edges:
    """Count them. `shape` is (M, N, K)."""
    M, N, K = shape
    played = list(steps(np.zeros((M, K), np.float32), np.zeros((K, N), np.float32), tile))
    rows, cols, ks = (-(-size // tile) for size in shape)
    outside = {"A": np.zeros((rows, ks), int), "B": np.zeros((ks, cols), int), "C": np.zeros((rows, cols), int)}
    for step in played:
        outside["A"][step.block_row, step.k_tile] = (~step.As_valid).sum()
        outside["B"][step.k_tile, step.block_col] = (~step.Bs_valid).sum()
        outside["C"][step.block_row, step.block_col] = (~step.C_valid).sum()
    filled = sum(not (step.As_valid.all() and step.Bs_valid.all()) for step in played)
    return Edges(outside, len(played), filled, len(played) * tile**3, M * N * K)
