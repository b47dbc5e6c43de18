"""Lesson 01: sectors as the emulator counts them, right numbers that are not enough, a text that gives nothing away."""

from __future__ import annotations

from dataclasses import replace

import pytest
from lesson_text import computed, diff_of, prose_of

from gemmlab.check.rules import broken_rules, judge, measured
from gemmlab.compiler.compile import compile_source
from gemmlab.course.lesson import CounterRule, load
from gemmlab.errors import UserError
from gemmlab.kernel.verdict import Verdict
from gemmlab.trials.warp_lines import requests_of

SHAPE = (64, 64, 64)


@pytest.fixture(scope="module")
def lesson():
    return load("01")


@pytest.fixture(scope="module")
def sectors(lesson) -> dict[str, dict[str, int]]:
    """Sectors of one request to each matrix: row from ty (this lesson), row from tx (lesson 00)."""
    launch, kernels = lesson.launch.at(*SHAPE), {"ty": lesson.solution, "tx": load("00").solution}
    return {
        name: {one.array: len(one.sectors) for one in requests_of(compile_source(text), launch, SHAPE)}
        for name, text in kernels.items()
    }


def test_the_predictions_are_the_emulators_addresses(lesson, sectors):
    loads = {name: counts["A"] + counts["B"] for name, counts in sectors.items()}
    assert {prediction.id: prediction.answer for prediction in computed(lesson)} == {
        "a_tx": sectors["tx"]["A"],
        "b_tx": sectors["tx"]["B"],
        "a_ty": sectors["ty"]["A"],
        "b_ty": sectors["ty"]["B"],
        "factor": loads["tx"] / loads["ty"],
    }


@pytest.mark.parametrize("name", ["ty", "tx"])
def test_addresses_and_counters_agree(lesson, sectors, name):
    source = {"ty": lesson.solution, "tx": load("00").solution}[name]
    loads, stores = (measured(rule, lesson.kernel, source, "k.cu")[0] for rule in lesson.kernel.rules)
    assert loads == (sectors[name]["A"] + sectors[name]["B"]) / 2 and stores == sectors[name]["C"]


def test_the_counts_of_the_questions():
    source = load("01").solution.replace("TILE 32", "TILE 16")
    launch = replace(load("01").launch.at(*SHAPE), block=(16, 16, 1), grid=(4, 4, 1))
    found = requests_of(compile_source(source), launch, SHAPE)
    assert [(one.array, len(one.sectors), one.used_bytes) for one in found] == [
        ("A", 2, 8),
        ("B", 2, 64),
        ("C", 4, 128),
    ]


def test_slow_access_is_told_with_line_and_numbers(lesson):
    loads, store = broken_rules(lesson.kernel, load("00").solution, "k.cu")
    assert (loads.kind, store.kind) == ("counter", "counter")
    assert "16.5 sectors per request of global loads, and 4 are enough" in loads.message
    lines = load("00").solution.split("\n")
    assert "acc +=" in lines[loads.line - 1] and "C[row * N + col]" in lines[store.line - 1]
    assert broken_rules(lesson.kernel, lesson.solution, "k.cu") == []


def test_wrong_numbers_come_before_slow_access(lesson):
    verdict = Verdict("failed")
    assert judge(verdict, lesson.kernel, "not even C", "k.cu") is verdict


@pytest.mark.parametrize(("what", "of"), [("sectors_per_request", "global_lode"), ("heat", "global_load")])
def test_unknown_counter_is_named(lesson, what, of):
    rule = CounterRule(what, of, 1, (32, 32, 32), "Too much.")
    with pytest.raises(UserError, match=f"no counter '{what}' of '{of}'"):
        measured(rule, lesson.kernel, lesson.solution, "k.cu")


def test_the_text_does_not_tell(lesson):
    prose = prose_of(lesson)
    assert "6.6" not in prose and "16.5" not in prose


def test_only_the_mapping_differs_from_the_lesson_before(lesson):
    assert diff_of(load("00").solution, lesson.solution) == [
        "const int row = blockIdx.y * TILE + ty;",
        "const int col = blockIdx.x * TILE + tx;",
    ]


def test_hints_do_not_give_the_answer(lesson):
    for blank in lesson.blanks:
        assert not any(f"TILE + {name}" in hint for hint in blank.hints for name in ("tx", "ty"))
