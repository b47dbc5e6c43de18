"""Shapes that a check adds for a kernel, because a condition of it goes a way there that it goes at no case's shape."""

from __future__ import annotations

import pytest

from gemmlab.check.check import check_kernel, check_source
from gemmlab.course.lesson import load
from gemmlab.pictures.verdict import VerdictReport
from gemmlab.text.verdict import ways

KERNEL = load("04").kernel
PLAIN = KERNEL.solution
STORE = "C[row * N + col] = acc;"


def changed(new: str) -> str:
    assert STORE in PLAIN
    return PLAIN.replace(STORE, new)


def checked(new: str = STORE):
    return check_kernel(KERNEL, changed(new), "kernel.cu", "emulator")


def test_a_kernel_without_paths_of_its_own_gets_no_shape():
    verdict = checked()
    found = verdict.to_json()["conditions"]
    assert found["conditions"] == 8 and found["ways"] == 15  # K is never below 1
    assert found["added"] == found["left"] == [] and found["shapes_tried"] == 0
    assert list(ways(verdict)) == ["Each condition on M, N and K went every way that it can: 15 ways of 8 conditions."]


@pytest.mark.parametrize(
    ("path", "fits"),
    [
        ("if (N % 24 == 0)", lambda M, N, K: N % 24 == 0),
        ("if (M > 640)", lambda M, N, K: M > 640),
        ("if (K >= 200 && K < 300)", lambda M, N, K: 200 <= K < 300),
        ("if (min(K, 77) == 77)", lambda M, N, K: K >= 77),
        ("if (row == 111 || col == 111)", lambda M, N, K: M > 111 or N > 111),
    ],
)
def test_a_path_that_no_case_takes_is_taken_and_its_fault_found(path, fits):
    verdict = checked(f"C[row * N + col] = acc; {path} C[row * N + col] = acc + 1.0f;")
    line = 1 + PLAIN[: PLAIN.index(STORE)].count("\n")
    assert verdict.status == "failed" and all(case.ok for case in verdict.cases[: len(KERNEL.cases)])
    added = verdict.conditions.added
    assert 1 <= len(added) <= 2 and any(fits(*one.shape) for one in added) and line in added[0].lines
    M, N, K = next(case.shape for case in verdict.cases if not case.ok)
    assert fits(M, N, K) and f"M, N, K = {M}, {N}, {K}" in verdict.findings[0].message
    assert any(f"M, N, K = {M}, {N}, {K} was added for this kernel" in sentence for sentence in ways(verdict))
    assert "was added for this kernel" in VerdictReport(verdict, "")._repr_mimebundle_()["text/html"]


def test_a_right_path_passes_there_and_what_is_left_is_said():
    paths = " ".join(f"if (K == {size}) C[row * N + col] = acc * 1.0f + 0.0f * {size};" for size in (210, 220, 230))
    verdict = checked(f"C[row * N + col] = acc; {paths}")
    found = verdict.conditions
    assert verdict.passed and len(found.added) == 2 and len(verdict.cases) == len(KERNEL.cases) + 2
    assert found.left
    assert "Not run: M, N, K = " in list(ways(verdict))[-1]
    assert verdict.holds_for.shapes[-2:] == tuple(one.shape for one in found.added)


def test_where_data_decide_it_says_that_nothing_is_known():
    verdict = checked(
        "if (As[0][0] < 1e30f) { for (int k = 5; k < K; k += 8) C[row * N + col] = k; C[row * N + col] = acc; }"
    )
    assert verdict.passed and "the way depends on more than sizes" in verdict.to_json()["conditions"]["because"]
    assert list(ways(verdict)) == [
        f"Which shapes lead the kernel's conditions another way is not known: {verdict.conditions.because}."
    ]


def test_shapes_that_somebody_asks_for_are_those_that_run():
    found = check_source(PLAIN, "kernel.cu", KERNEL.launched_by, KERNEL.cases[:1], "emulator")
    assert found.conditions is None and len(found.cases) == 1 and "conditions" not in found.to_json()
