"""Reading wrong results: kernels with one slip each, played thread by thread, and the sentence that they must get."""

from types import SimpleNamespace

import numpy as np
import pytest

from gemmlab.check.diagnosis.hypotheses import HYPOTHESES
from gemmlab.check.diagnosis.pattern import Trial, read_pattern
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.tolerance import compare, make_inputs

T = 4
CASES = (((8, 8, 8), "random"), ((9, 11, 6), "integer"), ((7, 13, 10), "random"), ((12, 8, 12), "structured"))


def kernel(**slip):
    """The tiled kernel, played thread by thread, with one part replaced: `slip` names it and gives its new form."""
    part = SimpleNamespace(
        **{
            "fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * Bs[k, tx],
            "A_row": lambda by, ty: by * T + ty,
            "A_col": lambda t, tx: t * T + tx,
            "B_row": lambda t, ty: t * T + ty,
            "B_col": lambda bx, tx: bx * T + tx,
            "tiles": lambda K: range(cdiv(K, T)),
            "ks": range(T),
            "grid": lambda M, N: (cdiv(M, T), cdiv(N, T)),
            "guard": lambda row, col, M, N: row < M and col < N,
            "start": lambda acc: acc,
            "zero_fill": True,
            "place": lambda row, col: (row, col),
        }
        | slip
    )

    def run(A, B):
        (M, K), N = A.shape, B.shape[1]
        C = np.full((M, N), np.nan, np.float32)
        rows, cols = part.grid(M, N)
        for by in range(rows):
            for bx in range(cols):
                block(A, B, C, by, bx, M, N, K)
        return C

    def block(A, B, C, by, bx, M, N, K):
        acc, As, Bs = np.zeros((T, T)), np.full((T, T), np.nan), np.full((T, T), np.nan)
        for t in part.tiles(K):
            acc = part.start(acc)
            for ty in range(T):
                for tx in range(T):
                    fill(As, ty, tx, A, part.A_row(by, ty), part.A_col(t, tx))
                    fill(Bs, ty, tx, B, part.B_row(t, ty), part.B_col(bx, tx))
            for k in part.ks:
                acc = np.array([[part.fma(acc[ty, tx], As, Bs, ty, tx, k) for tx in range(T)] for ty in range(T)])
        for ty in range(T):
            for tx in range(T):
                row, col = by * T + ty, bx * T + tx
                if part.guard(row, col, M, N):
                    C[part.place(row, col)] = acc[ty, tx]

    def fill(tile, ty, tx, matrix, row, col):
        if row < matrix.shape[0] and col < matrix.shape[1]:
            tile[ty, tx] = matrix[row, col]
        elif part.zero_fill:
            tile[ty, tx] = 0

    return run


def trials(run, cases=CASES):
    found = []
    for seed, (shape, inputs) in enumerate(cases):
        A, B = make_inputs(inputs, shape, seed)
        C = run(A, B)
        found.append(Trial(shape, inputs, A, B, C, compare(C, A, B, inputs)))
    return found


def test_the_kernel_without_a_slip_is_right():
    assert all(trial.comparison.ok for trial in trials(kernel()))


SLIPS = {
    "sum_for_product": {"fma": lambda acc, As, Bs, ty, tx, k: acc + (As[ty, k] + Bs[k, tx])},
    "difference_for_product": {"fma": lambda acc, As, Bs, ty, tx, k: acc + (As[ty, k] - Bs[k, tx])},
    "whole_sum": {"fma": lambda acc, As, Bs, ty, tx, k: np.trunc(acc + As[ty, k] * Bs[k, tx])},
    "minus": {"fma": lambda acc, As, Bs, ty, tx, k: acc - As[ty, k] * Bs[k, tx]},
    "twice": {"fma": lambda acc, As, Bs, ty, tx, k: acc + 2 * As[ty, k] * Bs[k, tx]},
    "zero": {"fma": lambda acc, As, Bs, ty, tx, k: acc * As[ty, k] * Bs[k, tx]},
    "only_A": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k]},
    "only_B": {"fma": lambda acc, As, Bs, ty, tx, k: acc + Bs[k, tx]},
    "A_squared": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * As[ty, k]},
    "B_squared": {"fma": lambda acc, As, Bs, ty, tx, k: acc + Bs[k, tx] * Bs[k, tx]},
    "last_k_of_padded_tile": {"fma": lambda acc, As, Bs, ty, tx, k: As[ty, k] * Bs[k, tx]},
    "last_k_of_each_tile": {"ks": [T - 1]},
    "first_k_of_each_tile": {"ks": [0]},
    "without_last_k_of_each_tile": {"ks": range(T - 1)},
    "without_first_k_of_each_tile": {"ks": range(1, T)},
    "only_last_tile": {"start": lambda acc: np.zeros_like(acc)},
    "only_first_tile": {"tiles": lambda K: range(1)},
    "without_last_tile": {"tiles": lambda K: range(cdiv(K, T) - 1)},
    "without_first_tile": {"tiles": lambda K: range(1, cdiv(K, T))},
    "tail_dropped": {"tiles": lambda K: range(K // T)},
    "stale_tail": {"zero_fill": False},
    "tile_indices_ky_kx": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[k, ty] * Bs[k, tx]},
    "tile_indices_yk_xk": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * Bs[tx, k]},
    "tile_indices_ky_xk": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[k, ty] * Bs[tx, k]},
    "tile_indices_xk_kx": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[tx, k] * Bs[k, tx]},
    "tile_indices_yk_ky": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * Bs[k, ty]},
    "tile_indices_xk_ky": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[tx, k] * Bs[k, ty]},
    "tile_indices_kx_yk": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[k, tx] * Bs[ty, k]},
    "tile_indices_yx_yx": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, tx] * Bs[ty, tx]},
    "tile_indices_yk_yx": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * Bs[ty, tx]},
    "tile_indices_yk_kk": {"fma": lambda acc, As, Bs, ty, tx, k: acc + As[ty, k] * Bs[k, k]},
    "A_rows_of_first_block": {"A_row": lambda by, ty: ty},
    "B_columns_of_first_block": {"B_col": lambda bx, tx: tx},
    "A_first_tile_again": {"A_col": lambda t, tx: tx},
    "B_first_tile_again": {"B_row": lambda t, ty: ty},
    "grid_swapped": {"grid": lambda M, N: (cdiv(N, T), cdiv(M, T))},
    "rounded_down": {"grid": lambda M, N: (M // T, N // T)},
    "one_short": {"guard": lambda row, col, M, N: row < M - 1 and col < N},
    "one_tile": {"grid": lambda M, N: (1, 1)},
    "corner": {"guard": lambda row, col, M, N: row < M and col < 3},
    "holes": {"guard": lambda row, col, M, N: row < M and col < N and (row + col) % 2},
    "nothing_written": {"guard": lambda row, col, M, N: False},
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_named(name):
    assert read_pattern(trials(kernel(**SLIPS[name])), (T, T)).name == name


def transpose_reading(matrix):
    return matrix.reshape(matrix.shape[::-1]).T


def pitch(matrix, width):
    return np.array(
        [[matrix.ravel()[row * width + col] for col in range(matrix.shape[1])] for row in range(len(matrix))]
    )


WHOLE = {
    "C_transposed": lambda A, B: (A @ B).T.reshape(len(A), -1),
    "A_transposed": lambda A, B: transpose_reading(A) @ B,
    "B_transposed": lambda A, B: A @ transpose_reading(B),
    "A_and_B_transposed": lambda A, B: transpose_reading(A) @ transpose_reading(B),
    "whole_result": lambda A, B: np.trunc(A @ B),
    "last_k": lambda A, B: np.outer(A[:, -1], B[-1]),
    "without_last_k": lambda A, B: A[:, :-1] @ B[:-1],
    "without_first_k": lambda A, B: A[:, 1:] @ B[1:],
    "first_of_four_wide": lambda A, B: fours(A, True) @ fours(B, True),
    "first_of_four_narrow": lambda A, B: fours(A, False) @ fours(B, False),
    "whole_fours_only": lambda A, B: whole_fours(A) @ whole_fours(B),
    "every_second_tile": lambda A, B: tiles_from(A, B, 2 * T),
    "tiles_overlap": lambda A, B: tiles_from(A, B, T // 2),
    "clamped_k": lambda A, B: np.pad(A, ((0, 0), past_k(A)), "edge") @ np.pad(B, (past_k(A), (0, 0)), "edge"),
    "rough": lambda A, B: (A * 1.001).astype(np.float16).astype(float) @ B,
}


def tiles_from(A, B, step):
    return sum(A[:, k0 : k0 + T] @ B[k0 : k0 + T] for k0 in range(0, A.shape[1], step))


def past_k(A):
    return 0, -A.shape[1] % T


def fours(matrix, aligned):
    """Only the first of each four neighbours, where rows are aligned, or where they are not."""
    result = matrix.copy()
    if (matrix.shape[1] % 4 == 0) == aligned:
        for j in (1, 2, 3):
            result[:, j::4] = 0
    return result


def whole_fours(matrix):
    return np.hstack([matrix[:, : matrix.shape[1] // 4 * 4], 0 * matrix[:, matrix.shape[1] // 4 * 4 :]])


@pytest.mark.parametrize("name", WHOLE)
def test_a_slip_of_the_whole_matrices_is_named(name):
    found = trials(lambda A, B: WHOLE[name](A.astype(float), B).astype(np.float32))
    assert read_pattern(found, (T, T)).name == name


SQUARE = {
    "row_col_swapped": lambda A, B: (A @ B).T,
    "row_for_col": lambda A, B: np.array([[A[i] @ B[:, i] for _ in A] for i in range(len(A))]),
    "col_for_row": lambda A, B: np.array([[A[j] @ B[:, j] for j in range(len(A))] for _ in A]),
}


@pytest.mark.parametrize("name", SQUARE)
def test_a_slip_that_needs_a_square_C_is_named(name):
    found = trials(
        lambda A, B: SQUARE[name](A, B).astype(np.float32), [((9, 9, 8), "integer"), ((10, 10, 6), "random")]
    )
    expected = {"row_col_swapped": ("row_col_swapped", "C_transposed")}.get(name, (name,))
    assert read_pattern(found, (T, T)).name in expected


PITCHES = {
    "A_pitch_M": ((5, 9, 12), lambda A, B: pitch(A, len(A)) @ B),
    "A_pitch_N": ((9, 5, 12), lambda A, B: pitch(A, B.shape[1]) @ B),
    "B_pitch_K": ((9, 12, 5), lambda A, B: A @ pitch(B, len(B))),
    "B_pitch_M": ((5, 12, 9), lambda A, B: A @ pitch(B, len(A))),
}


@pytest.mark.parametrize("name", PITCHES)
def test_a_wrong_pitch_is_named(name):
    shape, run = PITCHES[name]
    assert read_pattern(trials(run, [(shape, "random")]), (T, T)).name == name


def test_the_wrong_last_buffer_is_named():
    def run(A, B):
        tiles = list(range(cdiv(A.shape[1], T)))
        if len(tiles) % 2 and len(tiles) > 1:
            tiles[-1] -= 1
        return sum(A[:, t * T : t * T + T] @ B[t * T : t * T + T] for t in tiles)

    assert read_pattern(trials(run), (T, T)).name == "last_tile_from_other_buffer"


BUFFERS = {
    "first_tile_every_turn": lambda tile: 0,
    "each_tile_a_turn_late": lambda tile: max(tile - 1, 0),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_a_buffer_with_another_tile_in_it_is_named(name):
    def run(A, B):
        taken = [BUFFERS[name](tile) * T for tile in range(cdiv(A.shape[1], T))]
        return sum(A[:, k : k + T] @ B[k : k + T] for k in taken)

    assert read_pattern(trials(run), (T, T)).name == name


def test_every_hypothesis_is_tried_above():
    tried = {*SLIPS, *WHOLE, *SQUARE, *PITCHES, *BUFFERS, "last_tile_from_other_buffer"}
    untried = {slip.name for slip in HYPOTHESES} - tried
    assert all(name.startswith("tile_indices_") for name in untried)


@pytest.mark.parametrize("slip", HYPOTHESES, ids=lambda slip: slip.name)
def test_no_two_slips_look_alike(slip):
    """A slip's own C is read as that slip, or as one that gives the same C in these cases."""
    found = trials(lambda A, B: _own(slip, A, B))
    if all(trial.comparison.ok for trial in found):
        pytest.skip("this slip cannot happen in these cases")
    name = read_pattern(found, (T, T)).name
    other = next(hypothesis for hypothesis in HYPOTHESES if hypothesis.name == name)
    for trial in found:
        np.testing.assert_allclose(trial.C, _own(other, trial.A, trial.B), atol=1e-3)


def _own(slip, A, B):
    C = slip.candidate(A.astype(float), B.astype(float), T)
    return (A.astype(float) @ B if C is None else C).astype(np.float32)


def damaged(change, shape=(10, 11, 9), inputs="random", written=None):
    A, B = make_inputs(inputs, shape)
    C = (A.astype(float) @ B).astype(np.float32)
    change(C)
    known = None if written is None else np.full(C.shape, written)
    return Trial(shape, inputs, A, B, C, compare(C, A, B, inputs, known))


def add_noise(region):
    def change(C):
        C[region] += np.random.default_rng(0).uniform(1, 2, C[region].shape)

    return change


PLACES = {
    "last_rows": np.s_[8:],
    "last_columns": np.s_[:, 9:],
    "everywhere": np.s_[:, :],
    "same_places": np.s_[1::4, 2::4],
    "some": np.s_[2:4, 3],
}


@pytest.mark.parametrize("name", PLACES)
def test_the_places_of_wrong_elements_are_read(name):
    assert read_pattern([damaged(add_noise(PLACES[name]))], (T, T)).name == name


VALUES = {
    "nan": lambda C: C.__setitem__(np.s_[2:4, 3], np.nan),
    "never_added": lambda C: C.__setitem__(np.s_[::3, 1::2], 0),
    "moved": lambda C: C.__setitem__(np.s_[:16], np.roll(C[:16], 2, axis=0)),
}


@pytest.mark.parametrize("name", VALUES)
def test_wrong_values_tell_where_they_come_from(name):
    found = damaged(VALUES[name], (17, 19, 9), written=True)
    reading = read_pattern([found], (T, T))
    assert reading.name == name
    if name == "moved":
        assert "C[0][0] holds the value of C[14][0]" in reading.sentence and "for one row and" in reading.sentence


def test_noise_is_not_taken_for_a_displaced_value():
    assert read_pattern([damaged(add_noise(np.s_[:16]), (17, 19, 9))], (T, T)).name != "moved"


def test_wrong_partial_tiles_at_both_edges():
    def change(C):
        add_noise(np.s_[8:])(C)
        add_noise(np.s_[:, 8:])(C)

    assert read_pattern([damaged(change)], (T, T)).name == "edges"


@pytest.mark.parametrize("inputs", ["random", "integer", "ones"])
def test_a_sum_that_starts_elsewhere(inputs):
    assert read_pattern([damaged(lambda C: C.__iadd__(1), inputs=inputs)], (T, T)).name == "same_offset"


def test_wrong_only_where_K_is_ragged():
    right = damaged(lambda C: None, (10, 11, 8))
    reading = read_pattern([right, damaged(add_noise(np.s_[:, :]))], (T, T))
    assert reading.name == "ragged_k"
    assert "right where K is a multiple of 4 and wrong where it is not at M, N, K = 10, 11, 9" in reading.sentence


def test_a_slip_must_also_explain_the_right_cases():
    """Twice A·B in one case only is no doubled product: it would show in the other case."""
    twice = damaged(lambda C: C.__imul__(2))
    assert read_pattern([twice], (T, T)).name == "twice"
    assert read_pattern([twice, damaged(lambda C: None)], (T, T)).name != "twice"


def test_ones_alone_prove_no_slip():
    assert read_pattern([damaged(lambda C: C.__imul__(2), inputs="ones")], (T, T)).name == "same_offset"


def test_known_unwritten_elements_count_even_where_C_holds_numbers():
    A, B = make_inputs("integer", (8, 8, 8))
    C = (A @ B).astype(np.float32)
    written = np.ones((8, 8), bool)
    written[:, 4:] = False
    trial = Trial((8, 8, 8), "integer", A, B, C, compare(C, A, B, "integer", written))
    reading = read_pattern([trial], (T, T))
    assert reading.name == "corner" and reading.sentence.startswith("Columns from 4 on of C were never written")


def test_the_shown_trial_is_the_smallest_wrong_one():
    small, large = damaged(add_noise(np.s_[:, :]), (5, 5, 5)), damaged(add_noise(np.s_[:, :]), (9, 9, 9))
    assert read_pattern([large, small], (T, T)).trial is small


def test_tiles_need_not_be_square_nor_smaller_than_C():
    for tile in ((64, 64), (2, 8), (16, 1)):
        assert read_pattern([damaged(add_noise(np.s_[:, :]))], tile).sentence.endswith(".")
