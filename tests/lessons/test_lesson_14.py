"""Lesson 14: what its published kernels show, what its mends and the students' get, and the numbers of its claims."""

from __future__ import annotations

import re

import pytest
from lesson_text import prose_of

from gemmlab.check.check import check_source
from gemmlab.course import patients
from gemmlab.course.lesson import Case, load
from gemmlab.notebook.verbs.clinic import experiments
from gemmlab.notebook.verbs.clinic.diagnoses import KINDS, changed_lines, kinds_found, lines_found

FAULTS = {  # kinds that a reader may name, and a line of the published kernel that takes part
    "barrier_in_if": ({"barrier_divergence"}, "__syncthreads();"),
    "float4_tile": ({"race", "out_of_bounds"}, "&As[ty][tx * 4]"),
    "float4_transposed": ({"wrong_result"}, "Bs[k][tx]"),
    "store_loop": ({"out_of_bounds", "wrong_result"}, "if (r < M) break;"),
    "coarsened": ({"wrong_result"}, "A[(k0 + tx) * M + row]"),
    "one_barrier": ({"race"}, "__fmaf_rn(As"),
    "odd_tail": ({"uninitialized", "wrong_result"}, "multiply(1, acc);"),
}
SURVIVOR = "one_barrier_two_buffers"


@pytest.fixture(scope="module")
def lesson():
    return load("14")


@pytest.fixture(scope="module")
def prose(lesson) -> str:
    return prose_of(lesson)


def verdict_of(kernel, text):
    return check_source(text, kernel.path.name, kernel.launch, kernel.cases, backend="emulator")


@pytest.mark.parametrize("patient", FAULTS)
def test_the_published_kernel_shows_its_fault(lesson, patient):
    kinds, words = FAULTS[patient]
    kernel = lesson.kernel_named(patient)
    verdict = verdict_of(kernel, kernel.starter)
    assert verdict.status == "failed" and set(kinds_found(verdict)) == kinds <= set(KINDS)
    (line, *_) = [number for number, text in enumerate(kernel.starter.split("\n"), 1) if words in text]
    named = {line for kind in kinds for line in lines_found(verdict, kind)}
    assert line in named | set(changed_lines(kernel, kernel.solution))


def test_all_patients_are_here(lesson):
    assert {kernel.patient for kernel in lesson.kernels} == set(FAULTS)


@pytest.mark.parametrize("claim", experiments.EXPERIMENTS)
def test_the_prediction_is_the_experiments_number(lesson, claim):
    (prediction,) = [prediction for prediction in lesson.predictions if prediction.id == claim]
    evidence = experiments.examine(claim, lesson)
    assert evidence.number == pytest.approx(prediction.answer)
    assert evidence.holds == (claim == SURVIVOR)


def test_what_follows_is_said_of_the_table(lesson):
    half, naive = (experiments.examine(claim, lesson) for claim in ("half_occupancy", "naive_bytes"))
    pairs = re.findall(r"([\d.]+) % \| \d+ \| ([\d.]+) %", half.text)
    left = sorted(round(100 * float(after) / float(before)) for before, after in pairs)
    assert f"In the table {left[0]} to {left[-1]} % of" in half.follows
    assert re.findall(r"On (sm_\d+) the", half.follows) == re.findall(r"\| (sm_\d+) .* no launch", half.text)
    assert "in blocks of 16×16." in naive.follows and "16×16 threads | 274.88 GB" in naive.text


def test_claims_have_an_experiment_a_prediction_and_a_patient(lesson):
    ids = [claim.id for claim in lesson.claims]
    assert sorted(ids) == sorted(experiments.EXPERIMENTS) == sorted(prediction.id for prediction in lesson.predictions)
    assert {claim.patient for claim in lesson.claims} == set(FAULTS)


def test_each_claim_stands_in_its_published_kernel_and_only_the_true_one_in_the_mended(lesson):
    for claim in lesson.claims:
        kernel = lesson.kernel_named(claim.patient)
        published, mended = (" ".join(text.replace("//", " ").split()) for text in (kernel.starter, kernel.solution))
        assert claim.text in published
        assert (claim.text in mended) == (claim.id == SURVIVOR)


def test_the_text_asks_before_it_shows_and_keeps_the_numbers_back(lesson, prose):
    for claim in lesson.claims:
        asked, shown, judged = (prose.index(f'{call}("{claim.id}"') for call in ("predict", "evidence", "judge"))
        assert asked < shown < judged
    for patient in FAULTS:
        read, asked = prose.index(f'read("{patient}")'), prose.index(f'diagnose("{patient}"')
        assert read < asked < prose.index(f'patient="{patient}"') < prose.index(f'check("{patient}")')
    assert not re.search(r"54[0-9][.,]7|\b550\b", prose)


def test_a_mend_is_measured_by_the_code_that_it_changes():
    before = "a;\n// words\nb;\nc;\n"
    assert patients.changed_lines(before, "a;\n// other words\nb;\nc;\n") == set()
    assert patients.changed_lines(before, "a;\nB;\nc;\n") == {3}
    assert patients.changed_lines(before, "a;\nb;\nnew;\nc;\n") == {3, 4}
    blocks = "a;\n{\nb;\n}\nc;\n"
    assert patients.changed_lines(blocks, blocks.replace("c;", "new;\nc;")) == {3, 4, 5}


@pytest.mark.parametrize("before", ["        As[ty][tx] = (row", "        // No second barrier"])
def test_a_missing_barrier_may_be_seen_at_either_end_of_the_loop(lesson, before):
    kernel = lesson.kernel_named("one_barrier")
    mended = kernel.starter.replace(before, f"        __syncthreads();\n{before}")
    lines = {number: text.strip() for number, text in enumerate(kernel.starter.split("\n"), 1)}
    found = [lines[number] for number in changed_lines(kernel, mended)]
    assert [found[0], found[1][:12], found[2][:5], *found[3:]] == [
        "for (int k0 = 0; k0 < K; k0 += TILE) {",
        "As[ty][tx] =",
        "acc =",
        "}",
        "// No second barrier: the one in the next turn holds the threads together.",
        "}",
    ]


SMALLEST = {  # the shapes of the model answer that show a fault, and one that hides it
    "barrier_in_if": ((1, 1, 1), None),
    "float4_tile": ((1, 1, 1), None),
    "float4_transposed": ((1, 1, 2), None),
    "store_loop": ((1, 1, 1), None),
    "coarsened": ((2, 1, 2), (1, 1, 1)),
    "one_barrier": ((16, 16, 17), (16, 16, 16)),
    "odd_tail": ((1, 1, 1), (16, 16, 32)),
}


@pytest.mark.parametrize("patient", SMALLEST)
def test_the_smallest_shape_of_the_model_answer_shows_the_fault(lesson, patient):
    kernel = lesson.kernel_named(patient)
    shows, hides = SMALLEST[patient]
    for shape, status in ((shows, "failed"), (hides, "passed")):
        if shape:
            case = Case(shape, "random", 1, "ragged")
            assert check_source(kernel.starter, "k.cu", kernel.launch, [case], backend="emulator").status == status


def test_the_other_shapes_of_the_model_answer_show_it_too(lesson):
    for patient, shape in (("float4_transposed", (1, 2, 1)), ("odd_tail", (16, 16, 33)), ("odd_tail", (16, 16, 48))):
        kernel = lesson.kernel_named(patient)
        case = Case(shape, "random", 1, "ragged")
        assert check_source(kernel.starter, "k.cu", kernel.launch, [case], backend="emulator").status == "failed"
