"""Kernels counted side by side, and the model of the loop with one buffer and with two."""

from __future__ import annotations

import pytest

from gemmlab.course.lesson import load
from gemmlab.errors import UserError
from gemmlab.kernel.warp import WARP
from gemmlab.models.overlap import MULTIPLY, schedule
from gemmlab.models.simulator import traffic_register_tiled
from gemmlab.pictures.speed.tally import tally_table
from gemmlab.pictures.warps.overlap import overlap_picture
from gemmlab.trials.counts import tally

SHAPE = (128, 128, 48)
KERNELS = {"04": (16, 16, 16, 1, 1), "05": (64, 64, 16, 16, 1), "06": (64, 64, 16, 8, 4), "07": (128, 64, 16, 8, 8)}


def counted(number: str, shape=SHAPE):
    lesson = load(number)
    return tally(lesson.kernel, lesson.solution, shape, "sm_80")


@pytest.mark.parametrize("number", KERNELS)
def test_the_emulator_counts_what_the_algorithm_says(number):
    found, traffic = counted(number), traffic_register_tiled(*SHAPE, *KERNELS[number])
    assert found.shared_reads == traffic.shared_loads
    assert found.reads_per_fma == traffic.shared_loads_per_fma
    assert found.barriers_per_k_tile == 2


def test_a_wide_read_is_one_in_the_source_and_ptxas_joins_narrow_ones():
    narrow, wide = counted("06"), counted("07")
    assert wide.shared_reads == 4 * WARP * wide.shared_reads_written == 4 * WARP * wide.shared_read_requests
    assert narrow.shared_reads == WARP * narrow.shared_reads_written == 4 * WARP * narrow.shared_read_requests
    assert wide.global_requests * 4 < narrow.global_requests and wide.sectors < narrow.sectors


@pytest.mark.parametrize("K", [8, 24, 64, 50])
def test_two_buffers_need_one_barrier_a_K_tile(K):
    assert counted("08", (64, 64, K)).barriers_per_k_tile == 1


def test_two_buffers_take_twice_the_shared_memory():
    one, two = counted("07"), counted("08")
    floats = [sizes.BK * (sizes.BM + 4 + sizes.BN) for sizes in (one.sizes, two.sizes)]
    assert [one.resources.shared_bytes, two.resources.shared_bytes] == [4 * floats[0], 2 * 4 * floats[1]]
    table = tally_table({"lesson 07": one, "lesson 08": two})
    assert "| barriers a K tile | 2 | 1 |" in table and "12,544 | 16,640" in table


def test_a_kernel_with_a_fault_is_not_counted():
    lesson = load("08")
    with pytest.raises(UserError, match="a fault in 08_double_buffer: run its check"):
        tally(lesson.kernel, lesson.solution.replace("__pipeline_wait_prior(0);", ""), SHAPE, "sm_80")
    with pytest.raises(UserError, match="does not compile"):
        tally(lesson.kernel, lesson.solution.replace("buf = 1", "buff = 1"), SHAPE, "sm_80")


@pytest.mark.parametrize("k_tiles", [1, 2, 5, 6])
@pytest.mark.parametrize(("copy", "multiply"), [(2, 3), (3, 2), (1, 1)])
def test_a_copy_is_hidden_behind_a_multiplication(k_tiles, copy, multiply):
    one, two = (schedule(buffers, k_tiles, copy, multiply) for buffers in (1, 2))
    assert one.end == k_tiles * (copy + multiply) and one.overlapped == 0
    assert two.end == copy + (k_tiles - 1) * max(copy, multiply) + multiply
    assert (two.overlapped, len(one.barriers), len(two.barriers)) == (k_tiles - 1, 2 * k_tiles, k_tiles)


def test_the_buffer_alternates_and_the_last_one_depends_on_the_number_of_tiles():
    for k_tiles in (4, 5):
        used = [span.buffer for span in schedule(2, k_tiles, 2, 3).spans if span.what == MULTIPLY]
        assert used == [k_tile % 2 for k_tile in range(k_tiles)]


def test_no_buffer_is_filled_while_it_is_multiplied():
    spans = schedule(2, 6, 3, 2).spans
    for one in spans:
        for other in spans:
            if one is not other and one.buffer == other.buffer:
                assert one.end <= other.start or other.end <= one.start


def test_the_model_is_drawn_and_says_that_it_is_one():
    picture = overlap_picture([schedule(buffers, 5, 2, 3) for buffers in (1, 2)])
    assert picture.png() and "Two buffers: 17 units of time, 5 barriers" in picture.alt
    assert "a model, not a measurement" in picture.figure.axes[-1].get_xlabel()


@pytest.mark.parametrize(("k_tiles", "copy"), [(0, 2), (13, 2), (5, 0), (5, "2")])
def test_a_model_of_nothing_is_refused(k_tiles, copy):
    with pytest.raises(UserError):
        schedule(2, k_tiles, copy, 3)
