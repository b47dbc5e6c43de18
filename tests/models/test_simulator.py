"""The NumPy simulator: its C, its counts, its steps, and what it refuses."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gemmlab.errors import UserError
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.tolerance import compare, make_inputs
from gemmlab.models import simulator

SIZES = st.integers(1, 23)
SHAPES = st.tuples(SIZES, SIZES, SIZES)
TILES = st.one_of(st.integers(1, 9), st.tuples(*[st.integers(1, 9)] * 3))
RAGGED = (35, 45, 25)


@settings(max_examples=60, deadline=None)
@given(SHAPES, TILES, st.integers(0, 99))
def test_every_form_equals_numpy_and_its_closed_form(shape, TILE, seed):
    A, B = make_inputs("random", shape, seed)
    naive, tiled = simulator.naive(A, B), simulator.tiled(A, B, TILE)
    assert compare(naive.C, A, B, "random").ok
    assert compare(tiled.C, A, B, "random").ok
    assert naive.traffic == simulator.traffic_naive(*shape)
    assert tiled.traffic == simulator.traffic_tiled(*shape, TILE)


@settings(max_examples=40, deadline=None)
@given(SHAPES, st.tuples(*[st.integers(1, 3)] * 5), st.integers(0, 99))
def test_register_tiles_count_as_their_closed_form(shape, sizes, seed):
    BK, TM, TN, rows, cols = sizes
    parameters = (TM * rows, TN * cols, BK, TM, TN)
    A, B = make_inputs("random", shape, seed)
    simulated = simulator.register_tiled(A, B, *parameters)
    assert compare(simulated.C, A, B, "random").ok
    assert simulated.traffic == simulator.traffic_register_tiled(*shape, *parameters)


@given(SHAPES, TILES, st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_whole_numbers_are_exact(shape, TILE, seed):
    A, B = make_inputs("integer", shape, seed)
    np.testing.assert_array_equal(simulator.tiled(A, B, TILE).C, A.astype(np.float64) @ B)


def test_the_order_of_summation_is_the_kernels():
    """Upwards in k, one rounding a step: 2^24 + 1 is lost, and the exact product 2^-30 of a fused step is not."""
    A = np.array([[2.0**24, 1, -(2.0**24)]], np.float32)
    B = np.ones((3, 1), np.float32)
    assert simulator.naive(A, B).C[0, 0] == 0
    a = np.float32(1 + 2.0**-15)
    fused = simulator.naive(np.array([[1, a]], np.float32), np.array([[-(1 + 2.0**-14)], [a]], np.float32))
    assert fused.C[0, 0] == 2.0**-30


def test_tiling_does_not_change_a_bit_of_C():
    A, B = make_inputs("random", RAGGED, 1)
    C = simulator.naive(A, B).C
    assert C.dtype == np.float32
    np.testing.assert_array_equal(simulator.tiled(A, B, 16).C, C)
    np.testing.assert_array_equal(simulator.register_tiled(A, B, 16, 8, 4, 4, 2).C, C)


def test_the_sums_of_the_lesson_at_1024_cubed():
    naive, tiled = simulator.traffic_naive(1024, 1024, 1024), simulator.traffic_tiled(1024, 1024, 1024, 16)
    assert (naive.global_load_bytes, naive.intensity) == (8_589_934_592, 0.25)
    assert (tiled.global_load_bytes, tiled.intensity) == (536_870_912, 4.0)
    assert naive.global_store_bytes == tiled.global_store_bytes == 4 * 1024**2


def test_register_tiles_save_shared_loads():
    plain = simulator.traffic_tiled(256, 256, 256, 64)
    eight = simulator.traffic_register_tiled(256, 256, 256, 64, 64, 8, 8, 8)
    assert (plain.shared_loads_per_fma, eight.shared_loads_per_fma) == (2.0, 0.25)
    assert plain.shared_load_bytes == 8 * eight.shared_load_bytes
    assert plain.shared_store_bytes == eight.shared_store_bytes


def test_steps_walk_the_tiles_in_order_and_end_in_C():
    A, B = make_inputs("random", RAGGED, 2)
    C = simulator.naive(A, B).C
    steps = list(simulator.steps(A, B, 16))
    order = [(row, col, k) for row in range(3) for col in range(3) for k in range(2)]
    assert [(step.block_row, step.block_col, step.k_tile) for step in steps] == order
    for step in steps[1::2]:
        inside = C[step.block_row * 16 :, step.block_col * 16 :][:16, :16]
        assert step.C_valid.sum() == inside.size
        np.testing.assert_array_equal(step.acc[step.C_valid], inside.ravel())


def test_a_step_shows_the_zero_fill_of_ragged_tiles():
    A, B = make_inputs("random", RAGGED, 2)
    last = list(simulator.steps(A, B, 16))[-1]
    rows, cols, ks = 35 - 32, 45 - 32, 25 - 16
    assert last.As_valid[:rows, :ks].all() and last.As_valid.sum() == rows * ks
    assert last.Bs_valid[:ks, :cols].all() and last.Bs_valid.sum() == ks * cols
    assert not last.As[~last.As_valid].any() and not last.Bs[~last.Bs_valid].any()
    np.testing.assert_array_equal(last.As[:rows, :ks], A[32:, 16:])
    np.testing.assert_array_equal(last.Bs[:ks, :cols], B[16:, 32:])


def test_the_running_sum_of_a_step_is_its_part_of_k():
    A, B = make_inputs("integer", RAGGED, 3)
    first = next(iter(simulator.steps(A, B, 16)))
    np.testing.assert_array_equal(first.acc, A[:16, :16] @ B[:16, :16])


def test_steps_cannot_be_changed():
    step = next(simulator.steps(*make_inputs("ones", (4, 4, 4)), 2))
    with pytest.raises(dataclasses.FrozenInstanceError):
        step.k_tile = 1
    for array in (step.As, step.Bs, step.acc, step.As_valid, step.Bs_valid, step.C_valid):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1


def test_inputs_are_left_alone():
    A, B = make_inputs("random", RAGGED, 4)
    before = A.copy(), B.copy()
    simulator.tiled(A, B, 16)
    A[0, 0] = B[0, 0] = 0
    assert A[1, 1] == before[0][1, 1] and A.flags.writeable and B.flags.writeable


@pytest.mark.parametrize("block, k_tiles", [((16, 16, 16), 2), ((8, 32, 5), 5), ((64, 64, 64), 1)])
def test_number_of_steps(block, k_tiles):
    M, N, _ = RAGGED
    steps = list(simulator.steps(*make_inputs("random", RAGGED), block))
    assert len(steps) == cdiv(M, block[0]) * cdiv(N, block[1]) * k_tiles


F32 = np.float32


@pytest.mark.parametrize(
    "A, B, sentence",
    [
        (np.ones((2, 3), F32), np.ones((2, 3), F32), "A is 2×3 and B is 2×3: the columns of A must be the rows of B"),
        (np.ones((2, 3)), np.ones((3, 2), F32), "A holds float64; .* use A.astype"),
        (np.ones((2, 3), F32), np.ones((3, 2), int), "B holds int64"),
        (np.ones(3, F32), np.ones((3, 2), F32), "A must be a NumPy array with two dimensions"),
        (np.ones((2, 3), F32), [[1.0]], "B must be a NumPy array with two dimensions"),
        (np.ones((0, 3), F32), np.ones((3, 2), F32), "A is empty: its shape is 0×3"),
        (np.ones((2, 0), F32), np.ones((0, 2), F32), "A is empty"),
    ],
)
@pytest.mark.parametrize(
    "form", [simulator.naive, lambda A, B: simulator.tiled(A, B, 2), lambda A, B: simulator.steps(A, B, 2)]
)
def test_bad_matrices_are_refused_at_once(form, A, B, sentence):
    with pytest.raises(UserError, match=sentence):
        form(A, B)


@pytest.mark.parametrize("TILE", [0, -16, True, 1.5, "16", None, (16, 16), (16, 0, 16), [16, 16, 16]])
def test_bad_tiles_are_refused(TILE):
    with pytest.raises(UserError):
        simulator.tiled(*make_inputs("ones", (4, 4, 4)), TILE)
    with pytest.raises(UserError):
        simulator.traffic_tiled(4, 4, 4, TILE)


def test_a_register_tile_must_divide_its_block():
    with pytest.raises(UserError, match="TM×TN = 3×1 does not divide the block's 16×16"):
        simulator.register_tiled(*make_inputs("ones", (4, 4, 4)), 16, 16, 16, 3, 1)


@pytest.mark.parametrize("shape", [(0, 1, 1), (1, -1, 1), (1, 1, 1.5)])
def test_closed_forms_refuse_bad_shapes(shape):
    with pytest.raises(UserError, match="must be a whole number of at least 1"):
        simulator.traffic_naive(*shape)
