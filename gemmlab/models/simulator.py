"""The tiled matrix multiplication in NumPy, played stage by stage, with counts of what it moves.

C comes out in the kernel's order of summation: k runs upwards and each step is a fused multiply-add. It is computed
as an exact float64 product added in float64 and rounded once to float32, which differs from the hardware's only where
rounding twice does (rare, and then by one unit in the last place).

What is counted, in elements of 4 bytes. Global loads and stores: only elements inside A, B and C; the guards keep the
padding of a ragged tile away from memory. Shared loads and stores: every slot and every thread of a block, zero fill
included, because threads outside C work along. FLOPs: the useful 2·M·N·K. Intensity: FLOPs over the bytes of the
global loads; the M·N stores are left out, as in the sums of the lessons.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from gemmlab.errors import UserError
from gemmlab.kernel.launch import cdiv

FLOAT_BYTES = 4


@dataclass(frozen=True)
class Traffic:
    """What one multiplication moves and computes; loads and stores in elements, `flops` in operations.

    An element of A and B has `element_bytes`; C is float32.
    """

    global_loads: int
    global_stores: int
    shared_loads: int
    shared_stores: int
    flops: int
    element_bytes: int = FLOAT_BYTES

    @property
    def global_load_bytes(self) -> int:
        return self.global_loads * self.element_bytes

    @property
    def global_store_bytes(self) -> int:
        return self.global_stores * FLOAT_BYTES

    @property
    def shared_load_bytes(self) -> int:
        return self.shared_loads * self.element_bytes

    @property
    def shared_store_bytes(self) -> int:
        return self.shared_stores * self.element_bytes

    @property
    def intensity(self) -> float:
        """FLOPs a byte loaded from global memory."""
        return self.flops / self.global_load_bytes

    @property
    def shared_loads_per_fma(self) -> float:
        """Elements read from shared memory for each useful multiply-add."""
        return self.shared_loads / (self.flops // 2)


@dataclass(frozen=True)
class Simulation:
    """C (M×N, float32) and what computing it moved."""

    C: np.ndarray
    traffic: Traffic


@dataclass(frozen=True)
class TileStep:
    """One K tile of one block, after its multiply-adds. Arrays are read-only.

    `As` (BM×BK) and `Bs` (BK×BN) are the tiles in shared memory, with zeros where `As_valid` and `Bs_valid` are
    False: there the tile reaches over the edge of A or B. `acc` (BM×BN) holds the running sums of the block's
    threads, `C_valid` says which of them lie inside C.
    """

    block_row: int
    block_col: int
    k_tile: int
    As: np.ndarray
    Bs: np.ndarray
    As_valid: np.ndarray
    Bs_valid: np.ndarray
    acc: np.ndarray
    C_valid: np.ndarray


def naive(A: np.ndarray, B: np.ndarray) -> Simulation:
    """One thread an element of C, which reads its row of A and its column of B from global memory."""
    M, N, K = _shape(A, B)
    acc = np.zeros((M, N), np.float32)
    loads = 0
    for k in range(K):
        acc = _multiply_add(A[:, k], B[k], acc)
        loads += 2 * acc.size
    return Simulation(acc, Traffic(loads, acc.size, 0, 0, 2 * M * N * K))


def tiled(A: np.ndarray, B: np.ndarray, TILE: int | tuple[int, int, int]) -> Simulation:
    """One thread an element of C; a block shares tiles of TILE×TILE, or BM×BK and BK×BN for TILE = (BM, BN, BK)."""
    return register_tiled(A, B, *_tile_sizes(TILE), 1, 1)


def register_tiled(A: np.ndarray, B: np.ndarray, BM: int, BN: int, BK: int, TM: int, TN: int) -> Simulation:
    """TM×TN elements of C a thread: for each k it reads TM values of As and TN of Bs, for TM·TN multiply-adds."""
    M, N, K = _shape(A, B)
    shared_loads_per_k = _threads(BM, BN, TM, TN) * (TM + TN)
    C = np.empty((M, N), np.float32)
    global_loads = global_stores = shared_loads = shared_stores = 0
    for step in steps(A, B, (BM, BN, BK)):
        global_loads += int(step.As_valid.sum() + step.Bs_valid.sum())
        shared_stores += step.As.size + step.Bs.size
        shared_loads += BK * shared_loads_per_k
        if step.k_tile == cdiv(K, BK) - 1:
            inside = C[step.block_row * BM :, step.block_col * BN :][:BM, :BN]
            inside[...] = step.acc[: inside.shape[0], : inside.shape[1]]
            global_stores += inside.size
    return Simulation(C, Traffic(global_loads, global_stores, shared_loads, shared_stores, 2 * M * N * K))


def steps(A: np.ndarray, B: np.ndarray, TILE: int | tuple[int, int, int]) -> Iterator[TileStep]:
    """The tiled multiplication one K tile at a time: blocks row by row, and in each block the tiles along K."""
    M, N, _ = _shape(A, B)
    BM, BN, BK = _tile_sizes(TILE)
    return (
        step
        for block_row in range(cdiv(M, BM))
        for block_col in range(cdiv(N, BN))
        for step in _block_steps(A, B, (BM, BN, BK), block_row, block_col)
    )


def _block_steps(
    A: np.ndarray, B: np.ndarray, sizes: tuple[int, int, int], block_row: int, block_col: int
) -> Iterator[TileStep]:
    BM, BN, BK = sizes
    row, col = block_row * BM, block_col * BN
    acc = np.zeros((BM, BN), np.float32)
    C_valid = _valid(A.shape[0] - row, B.shape[1] - col, BM, BN)
    for k_tile in range(cdiv(A.shape[1], BK)):
        As, As_valid = _load_tile(A, row, k_tile * BK, BM, BK)
        Bs, Bs_valid = _load_tile(B, k_tile * BK, col, BK, BN)
        for k in range(BK):
            acc = _multiply_add(As[:, k], Bs[k], acc)
        for array in (As, Bs, As_valid, Bs_valid, acc, C_valid):
            array.flags.writeable = False
        yield TileStep(block_row, block_col, k_tile, As, Bs, As_valid, Bs_valid, acc, C_valid)


def _load_tile(matrix: np.ndarray, row: int, col: int, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The tile at (row, col), zero where it leaves the matrix, and where it does not."""
    inside = matrix[row : row + height, col : col + width]
    tile = np.zeros((height, width), np.float32)
    tile[: inside.shape[0], : inside.shape[1]] = inside
    return tile, _valid(*inside.shape, height, width)


def _valid(rows: int, cols: int, height: int, width: int) -> np.ndarray:
    return (np.arange(height) < rows)[:, None] & (np.arange(width) < cols)


def _multiply_add(a: np.ndarray, b: np.ndarray, acc: np.ndarray) -> np.ndarray:
    return (np.multiply.outer(a.astype(np.float64), b.astype(np.float64)) + acc).astype(np.float32)


def traffic_naive(M: int, N: int, K: int) -> Traffic:
    """What `naive` counts, without running it."""
    _require_positive(M=M, N=N, K=K)
    return Traffic(2 * M * N * K, M * N, 0, 0, 2 * M * N * K)


def traffic_tiled(M: int, N: int, K: int, TILE: int | tuple[int, int, int]) -> Traffic:
    """What `tiled` counts, without running it."""
    return traffic_register_tiled(M, N, K, *_tile_sizes(TILE), 1, 1)


def traffic_register_tiled(M: int, N: int, K: int, BM: int, BN: int, BK: int, TM: int, TN: int) -> Traffic:
    """What `register_tiled` counts, without running it: A is read once a column of blocks, B once a row of blocks."""
    _require_positive(M=M, N=N, K=K)
    threads = _threads(BM, BN, TM, TN)
    _tile_sizes((BM, BN, BK))
    rows, cols, k_tiles = cdiv(M, BM), cdiv(N, BN), cdiv(K, BK)
    tiles = rows * cols * k_tiles
    return Traffic(
        global_loads=cols * M * K + rows * K * N,
        global_stores=M * N,
        shared_loads=tiles * BK * threads * (TM + TN),
        shared_stores=tiles * (BM * BK + BK * BN),
        flops=2 * M * N * K,
    )


def _shape(A: np.ndarray, B: np.ndarray) -> tuple[int, int, int]:
    """(M, N, K) of A @ B. UserError unless both are non-empty float32 matrices that fit."""
    for name, matrix in (("A", A), ("B", B)):
        if not isinstance(matrix, np.ndarray) or matrix.ndim != 2:
            raise UserError(f"{name} must be a NumPy array with two dimensions")
        if matrix.dtype != np.float32:
            raise UserError(f"{name} holds {matrix.dtype}; the kernels work on float32: use {name}.astype(np.float32)")
        if matrix.size == 0:
            raise UserError(f"{name} is empty: its shape is {matrix.shape[0]}×{matrix.shape[1]}")
    if A.shape[1] != B.shape[0]:
        raise UserError(
            f"A is {A.shape[0]}×{A.shape[1]} and B is {B.shape[0]}×{B.shape[1]}: the columns of A must be the rows of B"
        )
    return A.shape[0], B.shape[1], A.shape[1]


def _tile_sizes(TILE: int | tuple[int, int, int]) -> tuple[int, int, int]:
    """(BM, BN, BK) of a tile given as one number or as three."""
    sizes = (TILE, TILE, TILE) if isinstance(TILE, Integral) else TILE
    if not isinstance(sizes, tuple) or len(sizes) != 3:
        raise UserError("give the tile as one whole number or as (BM, BN, BK)")
    _require_positive(**dict(zip(("BM", "BN", "BK"), sizes, strict=True)))
    return sizes


def _threads(BM: int, BN: int, TM: int, TN: int) -> int:
    """Threads of a block. UserError unless TM divides BM and TN divides BN."""
    _require_positive(BM=BM, BN=BN, TM=TM, TN=TN)
    if BM % TM or BN % TN:
        raise UserError(f"TM×TN = {TM}×{TN} does not divide the block's {BM}×{BN} elements")
    return (BM // TM) * (BN // TN)


def _require_positive(**sizes: int) -> None:
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise UserError(f"{name} is {size!r}; it must be a whole number of at least 1")
