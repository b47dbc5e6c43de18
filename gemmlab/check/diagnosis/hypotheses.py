"""What a wrong kernel may have computed: usual slips of a tiled multiplication, each replayed in NumPy.

A hypothesis turns the inputs into the C that its slip would give, for tiles of T×T with zero fill. Whether it
explains what a kernel did is decided by `gemmlab.check.diagnosis.pattern`, which compares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gemmlab.check.diagnosis.sentences import SLIPS, WRONG_INDICES_OF_BOTH, WRONG_INDICES_OF_ONE
from gemmlab.kernel.launch import cdiv

_RIGHT = ("yk", "kx")  # As[ty][k] * Bs[k][tx]
Candidate = Callable[[np.ndarray, np.ndarray, int], "np.ndarray | None"]


@dataclass(frozen=True)
class Hypothesis:
    """One slip. `candidate(A, B, T)` is the C (M×N, float64) that it gives, None where it cannot happen. With the
    `indices` that a tile of A and one of B are read with, it makes sense only where T is the side of a block's tile."""

    name: str
    candidate: Candidate
    indices: tuple[str, str] | None = None

    @property
    def of_block_tile(self) -> bool:
        """Whether it makes sense only where T is the side of a block's tile of C."""
        return self.indices is not None

    def text(self) -> str:
        """The sentence for the student."""
        if self.indices is None:
            return SLIPS[self.name]()
        a, b = (_element(tile, form) for tile, form in zip(("As", "Bs"), self.indices, strict=True))
        wrong = [tile for tile, form, right in zip(("As", "Bs"), self.indices, _RIGHT, strict=True) if form != right]
        if len(wrong) == 1:
            return WRONG_INDICES_OF_ONE(a=a, b=b, tile=wrong[0])
        return WRONG_INDICES_OF_BOTH(a=a, b=b)


def _steps_of_k(keep: Callable[[np.ndarray, int, int], np.ndarray]) -> Candidate:
    """A @ B over the k that `keep(k, K, T)` marks."""

    def candidate(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
        K = A.shape[1]
        kept = np.broadcast_to(keep(np.arange(K), K, T), K)
        return A[:, kept] @ B[kept]

    return candidate


def _tile_products(a: str, b: str) -> Candidate:
    """The products of tile elements for T steps of k, indexed by y, x and k, such as 'yk' for As[ty][k]."""

    def candidate(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
        As, Bs = _cut(A, T), _cut(B, T)
        indices = "".join(index for index in "yx" if index in a + b)
        C = np.einsum(f"rm{a},mc{b}->rc{indices}", As, Bs, optimize=True) * (1 if "k" in a + b else T)
        for axis, index in ((2, "y"), (3, "x")):
            C = C if index in indices else np.expand_dims(C, axis)
        C = np.broadcast_to(C, (*C.shape[:2], T, T))
        return C.swapaxes(1, 2).reshape(C.shape[0] * T, C.shape[1] * T)[: A.shape[0], : B.shape[1]]

    return candidate


def _cut(matrix: np.ndarray, T: int) -> np.ndarray:
    """The matrix as tiles [tile row, tile column, y, x], zero where they leave it."""
    rows, cols = (cdiv(size, T) for size in matrix.shape)
    padded = np.zeros((rows * T, cols * T))
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded.reshape(rows, T, cols, T).swapaxes(1, 2)


def _pitch_of_A(size: Callable[[int, int, int], int]) -> Candidate:
    def candidate(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
        misread = _read_with_pitch(A, size(A.shape[0], B.shape[1], A.shape[1]))
        return None if misread is None else misread @ B

    return candidate


def _pitch_of_B(size: Callable[[int, int, int], int]) -> Candidate:
    def candidate(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
        misread = _read_with_pitch(B, size(A.shape[0], B.shape[1], A.shape[1]))
        return None if misread is None else A @ misread

    return candidate


def _read_with_pitch(matrix: np.ndarray, pitch: int) -> np.ndarray | None:
    rows, cols = np.indices(matrix.shape)
    places = rows * pitch + cols
    return None if places[-1, -1] >= matrix.size else matrix.ravel()[places]


def _stale_tail(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    K = A.shape[1]
    if K < T:
        return None
    stale = slice(K - T, cdiv(K, T) * T - T)
    return A @ B + A[:, stale] @ B[stale]


def _tiles_overlap(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    if T < 2:
        return None
    starts = range(0, A.shape[1], T // 2)
    return sum(A[:, k0 : k0 + T] @ B[k0 : k0 + T] for k0 in starts)


def _clamped_k(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
    K = A.shape[1]
    return A @ B + (cdiv(K, T) * T - K) * np.outer(A[:, -1], B[-1])


def _last_tile_from_other_buffer(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray | None:
    tiles = cdiv(A.shape[1], T)
    if tiles == 1:
        return None
    if tiles % 2 == 0:
        return A @ B
    last, previous = (slice(tile * T, tile * T + T) for tile in (tiles - 1, tiles - 2))
    return A @ B - A[:, last] @ B[last] + A[:, previous] @ B[previous]


def _first_tile_every_turn(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
    return cdiv(A.shape[1], T) * (A[:, :T] @ B[:T])


def _each_tile_a_turn_late(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
    last = slice((cdiv(A.shape[1], T) - 1) * T, None)
    return A @ B - A[:, last] @ B[last] + A[:, :T] @ B[:T]


def _columns_kept(aligned: bool, keep: Callable[[np.ndarray, int], np.ndarray]) -> Candidate:
    """A @ B where a matrix whose rows are a multiple of 4 long, or are not, has only the columns that `keep` marks."""

    def candidate(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
        return kept(A) @ kept(B)

    def kept(matrix: np.ndarray) -> np.ndarray:
        cols = matrix.shape[1]
        return matrix * keep(np.arange(cols), cols) if (cols % 4 == 0) == aligned else matrix

    return candidate


def _only_square(candidate: Callable[[np.ndarray], np.ndarray]) -> Candidate:
    return lambda A, B, T: candidate(A @ B) if len(A) == B.shape[1] else None


def _transpose_reading(matrix: np.ndarray) -> np.ndarray:
    """The matrix read as if it lay in memory column by column."""
    return matrix.reshape(matrix.shape[::-1]).T


def _truncated_sum(A: np.ndarray, B: np.ndarray, T: int) -> np.ndarray:
    """`int acc; acc += a * b`: each sum is cut to a whole number, towards 0."""
    C = np.zeros((len(A), B.shape[1]))
    for a, b in zip(A.T, B, strict=True):
        C = np.trunc(C + np.outer(a, b))
    return C


def _every_row(values: np.ndarray, A: np.ndarray) -> np.ndarray:
    return np.broadcast_to(values, (len(A), len(values)))


def _every_column(values: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.broadcast_to(values[:, None], (len(values), B.shape[1]))


def _wrong_tile_indices() -> list[Hypothesis]:
    forms = ("yk", "kx", "ky", "xk", "yx", "xy", "kk")
    return [
        Hypothesis(f"tile_indices_{a}_{b}", _tile_products(a, b), (a, b))
        for a in forms
        for b in forms
        if (a, b) != _RIGHT
    ]


def _element(tile: str, indices: str) -> str:
    """As[ty][k] for 'As' and 'yk'."""
    return tile + "".join(f"[{index if index == 'k' else 't' + index}]" for index in indices)


HYPOTHESES: tuple[Hypothesis, ...] = (
    Hypothesis(
        "zero",
        lambda A, B, T: np.zeros((len(A), B.shape[1])),
    ),
    Hypothesis("whole_sum", _truncated_sum),
    Hypothesis("whole_result", lambda A, B, T: np.trunc(A @ B)),
    Hypothesis(
        "sum_for_product",
        lambda A, B, T: A.sum(1)[:, None] + B.sum(0),
    ),
    Hypothesis(
        "difference_for_product",
        lambda A, B, T: A.sum(1)[:, None] - B.sum(0),
    ),
    Hypothesis(
        "minus",
        lambda A, B, T: -(A @ B),
    ),
    Hypothesis(
        "twice",
        lambda A, B, T: 2 * (A @ B),
    ),
    Hypothesis(
        "only_A",
        lambda A, B, T: _every_column(A.sum(1), B),
    ),
    Hypothesis(
        "only_B",
        lambda A, B, T: _every_row(B.sum(0), A),
    ),
    Hypothesis(
        "A_squared",
        lambda A, B, T: _every_column((A * A).sum(1), B),
    ),
    Hypothesis(
        "B_squared",
        lambda A, B, T: _every_row((B * B).sum(0), A),
    ),
    Hypothesis(
        "last_k_of_padded_tile",
        _steps_of_k(lambda k, K, T: k == cdiv(K, T) * T - 1),
    ),
    Hypothesis(
        "last_k",
        _steps_of_k(lambda k, K, T: k == K - 1),
    ),
    Hypothesis(
        "last_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T == T - 1),
    ),
    Hypothesis(
        "first_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T == 0),
    ),
    Hypothesis(
        "without_last_k",
        _steps_of_k(lambda k, K, T: k < K - 1),
    ),
    Hypothesis(
        "without_first_k",
        _steps_of_k(lambda k, K, T: k >= 1),
    ),
    Hypothesis(
        "without_last_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T != T - 1),
    ),
    Hypothesis(
        "without_first_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T != 0),
    ),
    Hypothesis(
        "only_last_tile",
        _steps_of_k(lambda k, K, T: k >= (cdiv(K, T) - 1) * T),
    ),
    Hypothesis(
        "only_first_tile",
        _steps_of_k(lambda k, K, T: k < T),
    ),
    Hypothesis(
        "without_last_tile",
        _steps_of_k(lambda k, K, T: k < (cdiv(K, T) - 1) * T),
    ),
    Hypothesis(
        "without_first_tile",
        _steps_of_k(lambda k, K, T: k >= T),
    ),
    Hypothesis(
        "tail_dropped",
        _steps_of_k(lambda k, K, T: k < K // T * T),
    ),
    Hypothesis(
        "every_second_tile",
        _steps_of_k(lambda k, K, T: k // T % 2 == 0),
    ),
    Hypothesis(
        "tiles_overlap",
        _tiles_overlap,
    ),
    Hypothesis(
        "clamped_k",
        _clamped_k,
    ),
    Hypothesis(
        "stale_tail",
        _stale_tail,
    ),
    Hypothesis(
        "last_tile_from_other_buffer",
        _last_tile_from_other_buffer,
    ),
    Hypothesis(
        "first_tile_every_turn",
        _first_tile_every_turn,
    ),
    Hypothesis(
        "each_tile_a_turn_late",
        _each_tile_a_turn_late,
    ),
    Hypothesis(
        "first_of_four_wide",
        _columns_kept(True, lambda col, cols: col % 4 == 0),
    ),
    Hypothesis(
        "first_of_four_narrow",
        _columns_kept(False, lambda col, cols: col % 4 == 0),
    ),
    Hypothesis(
        "whole_fours_only",
        _columns_kept(False, lambda col, cols: col < cols // 4 * 4),
    ),
    *_wrong_tile_indices(),
    Hypothesis(
        "C_transposed",
        lambda A, B, T: (A @ B).T.reshape(len(A), B.shape[1]),
    ),
    Hypothesis(
        "row_col_swapped",
        _only_square(np.transpose),
    ),
    Hypothesis(
        "A_transposed",
        lambda A, B, T: _transpose_reading(A) @ B,
    ),
    Hypothesis(
        "B_transposed",
        lambda A, B, T: A @ _transpose_reading(B),
    ),
    Hypothesis(
        "A_and_B_transposed",
        lambda A, B, T: _transpose_reading(A) @ _transpose_reading(B),
    ),
    Hypothesis(
        "row_for_col",
        _only_square(lambda C: np.broadcast_to(C.diagonal()[:, None], C.shape)),
    ),
    Hypothesis(
        "col_for_row",
        _only_square(lambda C: np.broadcast_to(C.diagonal(), C.shape)),
    ),
    Hypothesis(
        "A_pitch_M",
        _pitch_of_A(lambda M, N, K: M),
    ),
    Hypothesis(
        "A_pitch_N",
        _pitch_of_A(lambda M, N, K: N),
    ),
    Hypothesis(
        "B_pitch_K",
        _pitch_of_B(lambda M, N, K: K),
    ),
    Hypothesis(
        "B_pitch_M",
        _pitch_of_B(lambda M, N, K: M),
    ),
    Hypothesis(
        "A_rows_of_first_block",
        lambda A, B, T: A[np.arange(len(A)) % T] @ B,
    ),
    Hypothesis(
        "B_columns_of_first_block",
        lambda A, B, T: A @ B[:, np.arange(B.shape[1]) % T],
    ),
    Hypothesis(
        "A_first_tile_again",
        lambda A, B, T: A[:, np.arange(len(B)) % T] @ B,
    ),
    Hypothesis(
        "B_first_tile_again",
        lambda A, B, T: A @ B[np.arange(len(B)) % T],
    ),
)
