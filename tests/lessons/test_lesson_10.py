"""Lesson 10: its predictions, its cutting of K, its sums of floats; and what the launcher does by shape."""

from __future__ import annotations

import json
from dataclasses import replace
from math import prod, sqrt

import numpy as np
import pytest
from ladder_numbers import split_names
from lesson_text import computed, prose_of

from gemmlab import notebook
from gemmlab.build.readme import _splits
from gemmlab.course.lesson import load
from gemmlab.kernel.plan import launches_of
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.models.rounding import (
    ONE_SUM,
    SLICED,
    in_order,
    partial_sums,
    reordered,
    running_sum,
    ways_of_summing,
)
from gemmlab.pictures.speed.splits import waves_picture
from gemmlab.records.results import all_results
from gemmlab.records.splits import orders_text, recorded_splits
from gemmlab.text.skinny import skinny_rows, skinny_table
from gemmlab.trials.candidate import Candidate

SHAPE = (256, 256, 8192)


@pytest.fixture(scope="module")
def lesson():
    return load("10")


@pytest.fixture(scope="module")
def names(lesson):
    return split_names(lesson)


def test_the_predictions_are_computed(lesson, names):
    split, chosen = names["split"], names["split"](*SHAPE)
    assert {one.id: one.answer for one in computed(lesson)} == {
        "decode_intensity": pytest.approx(names["intensity"](1, 11008, 4096), abs=1e-4),
        "blocks": split(*SHAPE, 1).blocks,
        "slices": chosen.slices,
        "waves": split(*SHAPE, 40).waves,
        "workspace": pytest.approx(2 * chosen.workspace_bytes / 1e6, abs=0.01),
        "rounding_gain": pytest.approx(sqrt(chosen.slices), abs=0.01),
    }
    M, N, K = SHAPE
    assert 2 * chosen.workspace_bytes == 4 * (M * K + K * N), "as much as A and B have"


@pytest.mark.parametrize("shape", [SHAPE, (1, 11008, 4096), (16, 11008, 4096), (70, 20, 140), (5, 7, 1), (4096,) * 3])
def test_the_model_cuts_as_the_launcher_does(lesson, names, shape):
    plan, split = lesson.kernel.launches_of(lesson.solution).at(*shape), names["split"](*shape)
    first, *others = launches_of(plan)
    assert (prod(first.grid), first.grid[2]) == (split.blocks, split.slices)
    assert plan.buffers == ({"workspace": split.workspace_bytes} if split.slices > 1 else {})
    assert [launch.kernel for launch in others] == ["reduce"] * (split.slices > 1)
    assert split.waves == 1 or split.slices == 1


def test_two_blocks_fit_on_an_sm(lesson, names):
    from gemmlab.kernel.limits import occupancy

    candidate = Candidate(lesson.solution, "k.cu", lesson.kernel.launches_of(lesson.solution))
    used = candidate.compiled("sm_90").resources["partial_sums"]
    assert occupancy(256, used.registers, used.shared_bytes, "sm_90").blocks_per_sm * names["sms"] == names["at_once"]
    assert used.spill_store_bytes == 0


def test_the_sums_are_those_of_the_kernel_to_the_last_bit(lesson, names):
    """Lesson 10's kernel and one with a single slice, in the emulator, beside the model of rounding."""
    shape = (3, 5, 200)
    A, B = make_inputs("random", shape, 1)
    a, b = (np.ascontiguousarray(x) for x in (A.T[:, :, None] + 0 * B[:, None, :], B[:, None, :] + 0 * A.T[:, :, None]))
    steps = names["split"](*shape).steps * 16
    parts = np.stack([running_sum(a[k : k + steps], b[k : k + steps]) for k in range(0, 200, steps)])
    whole = lesson.solution.replace("min(slices, K / SHORTEST)", "min(slices, 1)")
    for source, due in ((lesson.solution, in_order(parts)), (whole, running_sum(a, b))):
        candidate = Candidate(source, "k.cu", lesson.kernel.launches_of(source))
        assert np.array_equal(candidate.run(shape).C, due)
    assert not np.array_equal(in_order(parts), running_sum(a, b))


def test_the_error_grows_as_the_text_says(lesson):
    growth = ways_of_summing((256, 512, 2048, 4096), 32)
    single, sliced, double = growth.errors.values()
    assert list(growth.errors)[:2] == [ONE_SUM, SLICED.format(slices=32)]
    gain = next(one for one in lesson.predictions if one.id == "rounding_gain")
    assert single[-1] / sliced[-1] == pytest.approx(gain.answer, rel=gain.tolerance)
    assert double[-1] < sliced[-1] < single[-1]
    assert single[-1] / single[0] == pytest.approx(4096 / 256, rel=0.3), "twice the length has about twice the error"


def test_the_order_changes_the_sum_and_not_how_good_it_is():
    first, *others = reordered(2048, 32, 3)
    assert first.different == 0 and all(one.different > 64 for one in others)
    assert max(one.error for one in others) < 2 * first.error
    assert len(partial_sums(np.ones((100, 1), np.float32), np.ones((100, 1), np.float32), 32)) == 25


def test_the_pictures_and_the_table_say_what_they_show(lesson, names, shown):
    opened = notebook.open("10")
    opened.waves(SHAPE)
    assert "32 slices: 256 blocks, 1 wave, 16 steps in turn" in shown[0]
    opened.orders()
    assert "the slices' order | 0 of 256" in shown[2]
    opened.waves((256, 256))
    assert "three whole numbers" in shown[-1]
    opened.rounding(0)
    assert "0 slices do not fit" in shown[-1]


def test_the_record_is_of_this_kernel(names):
    for record in recorded_splits():
        assert record.shape == SHAPE
        assert min(record.microseconds, key=lambda slices: record.microseconds[slices]) == 32, "as the text says"
        for slices in record.microseconds:
            assert names["split"](*SHAPE, slices).slices == slices, "the sizes were others when this was recorded"
        assert set(record.different["workspace"]) == {0} and min(record.different["atomicAdd"]) > 0
        assert "atomicAdd | 49," in orders_text(record)
        splits = [names["split"](*SHAPE, slices) for slices in record.microseconds]
        assert record.label in waves_picture(splits, names["split"](*SHAPE), record).alt


def test_the_table_of_the_record_compares_with_a_copy(tmp_path):
    kernel = {"name": "10_split_k", "lesson": "10", "as_taught": True, "gflops": 1803.5, "ratio_to_cublas": 0.9}
    shapes = [{"M": M, "N": 11008, "K": 4096, "cublas_gflops": 1, "kernels": [kernel]} for M in (1, 100)]
    data = {"machine": {"gpu": "X"}, "ceilings": {"copy_gbs": 4000}, "shapes": shapes}
    (tmp_path / "x.json").write_text(json.dumps(data), encoding="utf-8")
    (results,) = all_results(tmp_path)
    assert [one.shape[0] for one in results.splits] == [1] and [one.shape[0] for one in results.shapes] == [100]
    assert "| 1×11008×4096 | 10\\_split\\_k | 50.0 | 90.0 % | 3,608 | 90 % |" in skinny_table(results)
    assert skinny_rows(results)[2:] == _splits(results)[4:-1]
    nothing = replace(results, splits=())
    assert _splits(nothing) == [] and skinny_table(nothing).startswith("No product")


def test_the_launch_of_the_text_is_the_solutions(lesson):
    assert "atomicAdd(&C[i], sum)" in prose_of(lesson)
