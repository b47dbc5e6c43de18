"""Lesson 02: the numbers in its spec are those of the simulator, and its text gives nothing away."""

from __future__ import annotations

import re

import numpy as np
import pytest
from lesson_text import computed, prose_of

from gemmlab import cli
from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import load
from gemmlab.models.simulator import traffic_naive, traffic_tiled
from gemmlab.trials.warp_lines import first_block, requests_by_line

SHAPE = (1024, 1024, 1024)


@pytest.fixture(scope="module")
def lesson():
    return load("02")


@pytest.fixture(scope="module")
def prose(lesson) -> str:
    return prose_of(lesson)


def test_the_predictions_are_the_simulators_sums(lesson):
    naive, tiled = traffic_naive(*SHAPE), traffic_tiled(*SHAPE, lesson.tile)
    assert {prediction.id: (prediction.answer, prediction.unit) for prediction in computed(lesson)} == {
        "naive_intensity": (naive.intensity, "FLOP/B"),
        "naive_bytes": (naive.global_load_bytes / 1e9, "GB"),
        "tiled_intensity": (tiled.intensity, "FLOP/B"),
        "tiled_bytes": (tiled.global_load_bytes / 1e6, "MB"),
    }
    assert round(naive.global_load_bytes / 1e9, 2) == 8.59 and round(tiled.global_load_bytes / 1e6, 2) == 536.87


def test_the_text_does_not_tell_the_numbers(prose):
    assert not re.search(r"8[.,]59|53[67][.,]|0\.25|\b4 FLOP/B", prose)


def test_the_hints_come_nearer_without_giving_the_answer(lesson):
    (blank,) = lesson.blanks
    assert blank.name == "fma" and blank.answer == "acc += As[ty][k] * Bs[k][tx];"
    assert not any("As[ty][k]" in hint or "Bs[k][tx]" in hint for hint in blank.hints)
    assert "ty" not in blank.hints[0] and "ty" in blank.hints[2] and "acc" in blank.hints[2]


def test_the_smallest_and_the_most_ragged_shapes_are_public(lesson):
    assert {(35, 45, 25), (1, 1, 1)} <= {case.shape for case in lesson.cases if case.label == "ragged"}


def test_the_product_of_two_tiles_in_the_text_is_right(prose):
    shown, product = re.findall(r"```text\n.*?\n(.*?)```", prose, re.DOTALL)
    both = np.array([line.split() for line in shown.splitlines()], int)
    As, Bs = both[:, :4], both[:, 4:]
    assert np.array_equal(As @ Bs, np.array([line.split() for line in product.splitlines()], int))
    row, column = As[1], Bs[:, 2]
    terms = " + ".join(f"{a}·{b}" for a, b in zip(row, column, strict=True))
    assert f"{terms} = {row @ column}" in prose


STORED = "Bs[ty][tx] = (k0 + ty < K && col < N) ? B[(k0 + ty) * N + col] : 0.0f;"
COLUMN_BY_COLUMN = {  # ways to fill Bs from a B stored column by column: sectors a load, wavefronts a store
    "straight": ("Bs[ty][tx] = (k0 + ty < K && col < N) ? B[col * K + (k0 + ty)] : 0.0f;", 16, 1),
    "turned": (
        "const int n = blockIdx.x * 16 + ty; Bs[tx][ty] = (k0 + tx < K && n < N) ? B[n * K + (k0 + tx)] : 0.0f;",
        4,
        8,
    ),
}


def _requests(lesson, source):
    shape = (64, 64, 64)
    return requests_by_line(first_block(compile_source(source), lesson.launch.at(*shape), shape), shape)


@pytest.mark.parametrize(("line", "sectors", "wavefronts"), COLUMN_BY_COLUMN.values(), ids=COLUMN_BY_COLUMN)
def test_b_column_by_column_costs_what_the_model_answer_says(lesson, tmp_path, line, sectors, wavefronts):
    assert STORED in lesson.solution
    source = lesson.solution.replace(STORED, line)
    (tmp_path / "k.cu").write_text(source, encoding="utf-8")
    given = ["--args", "A,B.T,C,M,N,K", "--block", "16,16", "--grid", "cdiv(N,16),cdiv(M,16)", "--shape", "35,45,25"]
    with pytest.raises(SystemExit) as ended:
        cli.main(["run", str(tmp_path / "k.cu"), "--kernel", "gemm", "--backend", "emulator", *given])
    assert ended.value.code == 0
    lines = _requests(lesson, source)
    costs = {(one.array, one.is_store): one.costs[0] for one in lines}
    assert (costs["B", False], costs["Bs", True]) == (sectors, wavefronts)


def test_two_floats_of_padding_mend_the_stores_of_the_model_answer(lesson):
    line = COLUMN_BY_COLUMN["turned"][0]
    source = lesson.solution.replace(STORED, line).replace("Bs[TILE][TILE]", "Bs[TILE][TILE + 2]")
    lines = _requests(lesson, source)
    assert [one.costs[0] for one in lines if one.array == "Bs" and one.is_store] == [1]
