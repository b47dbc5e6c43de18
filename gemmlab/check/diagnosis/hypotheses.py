"""What a wrong kernel may have computed: usual slips of a tiled multiplication, each replayed in NumPy.

A hypothesis turns the inputs into the C that its slip would give, for tiles of T×T with zero fill. Whether it
explains what a kernel did is decided by `gemmlab.check.diagnosis.pattern`, which compares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gemmlab.kernel.launch import cdiv

Candidate = Callable[[np.ndarray, np.ndarray, int], "np.ndarray | None"]


@dataclass(frozen=True)
class Hypothesis:
    """One slip. `candidate(A, B, T)` is the C (M×N, float64) that it gives, None where it cannot happen; `sentence`
    tells the student of it. With `of_block_tile` it makes sense only where T is the side of a block's tile of C."""

    name: str
    candidate: Candidate
    sentence: str
    of_block_tile: bool = False


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


def _every_row(values: np.ndarray, A: np.ndarray) -> np.ndarray:
    return np.broadcast_to(values, (len(A), len(values)))


def _every_column(values: np.ndarray, B: np.ndarray) -> np.ndarray:
    return np.broadcast_to(values[:, None], (len(values), B.shape[1]))


def _wrong_tile_indices() -> list[Hypothesis]:
    forms = ("yk", "kx", "ky", "xk", "yx", "xy", "kk")
    return [_wrong_indices(a, b) for a in forms for b in forms if (a, b) != ("yk", "kx")]


def _wrong_indices(a: str, b: str) -> Hypothesis:
    which = " and ".join(name for name, form, right in (("As", a, "yk"), ("Bs", b, "kx")) if form != right)
    return Hypothesis(
        f"tile_indices_{a}_{b}",
        _tile_products(a, b),
        f"C holds the sums of {_element('As', a)} * {_element('Bs', b)}: look at the indices of {which}, where the "
        "tile is filled and where it is read; k walks along a row of As and down a column of Bs.",
        of_block_tile=True,
    )


def _element(tile: str, indices: str) -> str:
    """As[ty][k] for 'As' and 'yk'."""
    return tile + "".join(f"[{index if index == 'k' else 't' + index}]" for index in indices)


HYPOTHESES: tuple[Hypothesis, ...] = (
    Hypothesis(
        "zero",
        lambda A, B, T: np.zeros((len(A), B.shape[1])),
        "Every element of C is 0: the products never reach the sum that is stored; look at the multiply-add and at "
        "what is stored.",
    ),
    Hypothesis(
        "sum_for_product",
        lambda A, B, T: A.sum(1)[:, None] + B.sum(0),
        "C holds sums of a + b instead of a * b: the two elements must be multiplied before they are added to the "
        "running sum.",
    ),
    Hypothesis(
        "difference_for_product",
        lambda A, B, T: A.sum(1)[:, None] - B.sum(0),
        "C holds sums of a - b instead of a * b: the two elements must be multiplied before they are added to the "
        "running sum.",
    ),
    Hypothesis(
        "minus",
        lambda A, B, T: -(A @ B),
        "C is exactly the negative of A times B: the products are subtracted from the running sum instead of added.",
    ),
    Hypothesis(
        "twice",
        lambda A, B, T: 2 * (A @ B),
        "C is exactly twice A times B: every product is added two times.",
    ),
    Hypothesis(
        "only_A",
        lambda A, B, T: _every_column(A.sum(1), B),
        "C holds sums of elements of A alone: the element of B is missing in the multiply-add.",
    ),
    Hypothesis(
        "only_B",
        lambda A, B, T: _every_row(B.sum(0), A),
        "C holds sums of elements of B alone: the element of A is missing in the multiply-add.",
    ),
    Hypothesis(
        "A_squared",
        lambda A, B, T: _every_column((A * A).sum(1), B),
        "C holds sums of squares of A: one factor of the multiply-add must come from B.",
    ),
    Hypothesis(
        "B_squared",
        lambda A, B, T: _every_row((B * B).sum(0), A),
        "C holds sums of squares of B: one factor of the multiply-add must come from A.",
    ),
    Hypothesis(
        "last_k_of_padded_tile",
        _steps_of_k(lambda k, K, T: k == cdiv(K, T) * T - 1),
        "C holds only the product of the last k of the last tile: each product replaces the running sum; add it "
        "with += instead of =.",
    ),
    Hypothesis(
        "last_k",
        _steps_of_k(lambda k, K, T: k == K - 1),
        "C holds only the product of the last k: each product replaces the running sum; add it with += instead of =.",
    ),
    Hypothesis(
        "last_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T == T - 1),
        "C holds only the last product of each K tile: inside a tile each product replaces the one before; add it "
        "with +=.",
    ),
    Hypothesis(
        "first_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T == 0),
        "C holds only the first product of each K tile: the loop over k inside the tile must run through the whole "
        "tile.",
    ),
    Hypothesis(
        "without_last_k",
        _steps_of_k(lambda k, K, T: k < K - 1),
        "The product of the last k is missing: a bound on k is one too small.",
    ),
    Hypothesis(
        "without_first_k",
        _steps_of_k(lambda k, K, T: k >= 1),
        "The product of k = 0 is missing: the loop over k must start at 0.",
    ),
    Hypothesis(
        "without_last_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T != T - 1),
        "The last product of each K tile is missing: the loop over k inside the tile ends one step early.",
    ),
    Hypothesis(
        "without_first_k_of_each_tile",
        _steps_of_k(lambda k, K, T: k % T != 0),
        "The first product of each K tile is missing: the loop over k inside the tile must start at 0.",
    ),
    Hypothesis(
        "only_last_tile",
        _steps_of_k(lambda k, K, T: k >= (cdiv(K, T) - 1) * T),
        "C holds only what the last K tile gives: the running sum starts anew with each tile; set it to 0 once, "
        "before the loop.",
    ),
    Hypothesis(
        "only_first_tile",
        _steps_of_k(lambda k, K, T: k < T),
        "C holds only what the first K tile gives: the loop over the K tiles ends too early, or its result is "
        "stored too early.",
    ),
    Hypothesis(
        "without_last_tile",
        _steps_of_k(lambda k, K, T: k < (cdiv(K, T) - 1) * T),
        "What the last K tile gives is missing: the loop over the K tiles ends one step early.",
    ),
    Hypothesis(
        "without_first_tile",
        _steps_of_k(lambda k, K, T: k >= T),
        "What the first K tile gives is missing: the loop over the K tiles must start at tile 0.",
    ),
    Hypothesis(
        "tail_dropped",
        _steps_of_k(lambda k, K, T: k < K // T * T),
        "The products of the last, partial K tile are missing: the number of K tiles is rounded down; it is K / "
        "TILE rounded up.",
    ),
    Hypothesis(
        "every_second_tile",
        _steps_of_k(lambda k, K, T: k // T % 2 == 0),
        "Every second K tile is left out: the loop over the K tiles must move on by one tile a turn.",
    ),
    Hypothesis(
        "tiles_overlap",
        _tiles_overlap,
        "Products are added twice: the loop over the K tiles moves on by half a tile a turn instead of a whole one.",
    ),
    Hypothesis(
        "clamped_k",
        _clamped_k,
        "In the last, partial K tile the last elements of A and B are added again and again: where the tile leaves "
        "the matrix it needs 0, not a clamped index.",
    ),
    Hypothesis(
        "stale_tail",
        _stale_tail,
        "In the last, partial K tile the values of the tile before are used again: slots outside A and B must be "
        "filled with 0.",
    ),
    Hypothesis(
        "last_tile_from_other_buffer",
        _last_tile_from_other_buffer,
        "With an odd number of K tiles the last one is taken from the wrong buffer: the buffer to read alternates "
        "with the tile.",
    ),
    Hypothesis(
        "first_tile_every_turn",
        _first_tile_every_turn,
        "Every turn multiplies the first pair of tiles again: the buffer to read must change from turn to turn.",
    ),
    Hypothesis(
        "each_tile_a_turn_late",
        _each_tile_a_turn_late,
        "The first pair of tiles is multiplied twice and the last never: the copies that a turn starts must be those "
        "of the next k0, not of its own.",
    ),
    Hypothesis(
        "first_of_four_wide",
        _columns_kept(True, lambda col, cols: col % 4 == 0),
        "Where rows are a multiple of 4 long, only the first of each four neighbours arrives: the wide access must "
        "take all four.",
    ),
    Hypothesis(
        "first_of_four_narrow",
        _columns_kept(False, lambda col, cols: col % 4 == 0),
        "Where rows are no multiple of 4 long, only the first of each four neighbours arrives: the path without wide "
        "accesses must take all of the four that lie inside the row.",
    ),
    Hypothesis(
        "whole_fours_only",
        _columns_kept(False, lambda col, cols: col < cols // 4 * 4),
        "Where rows are no multiple of 4 long, the last one to three elements of a row are left out: of four "
        "neighbours that hang over the end, those inside still count.",
    ),
    *_wrong_tile_indices(),
    Hypothesis(
        "C_transposed",
        lambda A, B, T: (A @ B).T.reshape(len(A), B.shape[1]),
        "C is stored transposed: element (row, col) belongs at C[row * N + col].",
    ),
    Hypothesis(
        "row_col_swapped",
        _only_square(np.transpose),
        "C is the transposed product: row and col are swapped where A and B are read, or where C is stored.",
    ),
    Hypothesis(
        "A_transposed",
        lambda A, B, T: _transpose_reading(A) @ B,
        "A is read transposed: element (row, k) is A[row * K + k].",
    ),
    Hypothesis(
        "B_transposed",
        lambda A, B, T: A @ _transpose_reading(B),
        "B is read transposed: element (k, col) is B[k * N + col].",
    ),
    Hypothesis(
        "A_and_B_transposed",
        lambda A, B, T: _transpose_reading(A) @ _transpose_reading(B),
        "A and B are both read transposed: element (row, k) is A[row * K + k] and element (k, col) is B[k * N + col].",
    ),
    Hypothesis(
        "row_for_col",
        _only_square(lambda C: np.broadcast_to(C.diagonal()[:, None], C.shape)),
        "All elements of a row of C are equal: the column of B is chosen by row instead of col.",
    ),
    Hypothesis(
        "col_for_row",
        _only_square(lambda C: np.broadcast_to(C.diagonal(), C.shape)),
        "All elements of a column of C are equal: the row of A is chosen by col instead of row.",
    ),
    Hypothesis(
        "A_pitch_M",
        _pitch_of_A(lambda M, N, K: M),
        "A is read with rows of M elements; a row of A has K: A[row * K + k].",
    ),
    Hypothesis(
        "A_pitch_N",
        _pitch_of_A(lambda M, N, K: N),
        "A is read with rows of N elements; a row of A has K: A[row * K + k].",
    ),
    Hypothesis(
        "B_pitch_K",
        _pitch_of_B(lambda M, N, K: K),
        "B is read with rows of K elements; a row of B has N: B[k * N + col].",
    ),
    Hypothesis(
        "B_pitch_M",
        _pitch_of_B(lambda M, N, K: M),
        "B is read with rows of M elements; a row of B has N: B[k * N + col].",
    ),
    Hypothesis(
        "A_rows_of_first_block",
        lambda A, B, T: A[np.arange(len(A)) % T] @ B,
        "Every block reads the first rows of A: the block's offset blockIdx.y * TILE is missing in the row.",
    ),
    Hypothesis(
        "B_columns_of_first_block",
        lambda A, B, T: A @ B[:, np.arange(B.shape[1]) % T],
        "Every block reads the first columns of B: the block's offset blockIdx.x * TILE is missing in the column.",
    ),
    Hypothesis(
        "A_first_tile_again",
        lambda A, B, T: A[:, np.arange(len(B)) % T] @ B,
        "Every K tile reads the first tile of A again: the tile's offset along K is missing in the index of A.",
    ),
    Hypothesis(
        "B_first_tile_again",
        lambda A, B, T: A @ B[np.arange(len(B)) % T],
        "Every K tile reads the first tile of B again: the tile's offset along K is missing in the index of B.",
    ),
)
