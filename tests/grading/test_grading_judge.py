"""What is made of a child's bytes: right ones pass, wrong or hostile ones do not, and nothing hidden is told."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if not sys.platform.startswith("linux"):
    pytest.skip("grading needs Linux", allow_module_level=True)

from gemmlab.course.lesson import CounterRule, load
from gemmlab.kernel.tolerance import make_inputs
from gemmlab.kernel.verdict import FINDING_KINDS
from grading.marking.judge import RULE_KIND, judge
from grading.marking.wrong_picture import CELLS, where, wrong_picture
from grading.model import Execution, HiddenCase, Job, Judged, RawResult
from grading.visible import plain

KERNEL = load("02").kernel
CASE = HiddenCase("K smaller than the tile", "boundary", (37, 53, 11), "integer", 7)
JOB = Job(KERNEL, "one\ntwo\nthree\n", (CASE,))


def product(case: HiddenCase = CASE) -> np.ndarray:
    A, B = make_inputs(case.inputs, case.shape, case.seed)
    return A @ B


def result(C: np.ndarray, written: np.ndarray | None = None, *findings: dict) -> RawResult:
    written = np.ones(C.shape, np.uint8) if written is None else written
    return RawResult(C.astype(np.float32).tobytes(), written.astype(np.uint8).tobytes(), findings)


def judged(*results: RawResult, **more) -> Judged:
    return judge(JOB, Execution(cases=results, **more))


def test_a_right_result_passes():
    found = judged(result(product()))
    (mark,) = found.cases
    assert found.status == "passed" and mark.ok and mark.max_error == 0
    assert (mark.kind, mark.group, mark.message, mark.finding, mark.wrong) == (CASE.kind, "boundary", "", "", "")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0, 1e30])
def test_one_wrong_element_fails(value: float):
    C = product()
    C[36, 52] = value
    (mark,) = judged(result(C)).cases
    assert not mark.ok and mark.finding == "wrong_result" and mark.wrong
    assert mark.max_error is None or np.isfinite(mark.max_error)


def test_an_unwritten_element_fails_though_its_value_is_right():
    written = np.ones((37, 53), bool)
    written[36] = False
    (mark,) = judged(result(product(), written)).cases
    assert not mark.ok and mark.message == "Elements of C are never written, at the lower edge."


def test_random_inputs_have_a_tolerance_and_integer_ones_have_none():
    random = replace(CASE, inputs="random")
    for case, ok in ((random, True), (CASE, False)):
        C = product(case).astype(np.float32)
        C.flat[np.argmax(np.abs(C))] = np.nextafter(C.flat[np.argmax(np.abs(C))], np.float32(1e9))
        assert judge(replace(JOB, cases=(case,)), Execution(cases=(result(C),))).cases[0].ok == ok


def test_a_right_result_with_a_finding_fails():
    finding = {"kind": "race", "severity": "error", "line": 2, "message": "As[3][4] at 37×53"}
    found = judged(result(product(), None, finding))
    (mark,) = found.cases
    assert not mark.ok and mark.finding == "race" and mark.message.endswith(", line 2.")
    assert "As" not in mark.message and "As[3][4]" in found.log[0]


def test_the_gravest_of_several_findings_counts():
    findings = [{"kind": kind, "severity": "error", "line": 1} for kind in ("timeout", "out_of_bounds", "race")]
    assert judged(result(product(), None, *findings)).cases[0].finding == "race"


def test_a_warning_alone_does_not_fail():
    found = judged(result(product(), None, {"kind": "race", "severity": "warning", "line": 1}))
    assert found.status == "passed" and "no barrier orders them, line 1. This costs no marks" in found.warnings[0]
    assert Judged.from_json(found.to_json()) == found


def test_a_warning_is_told_once_and_in_our_words():
    said = {"kind": "launch_error", "severity": "warning", "line": None, "message": "shape 37×53"}
    odd = [{"kind": kind, "severity": "warning", "line": True} for kind in ("unsupported", "nonsense", None)]
    (warning,) = judged(result(product(), None, said, *odd, said)).warnings
    assert warning.startswith("It asks for more memory than a GPU has") and "37" not in warning


def test_a_warning_of_the_second_look_is_told():
    said = {"kind": "launch_error", "severity": "warning", "line": None, "message": "too much"}
    again = replace(result(product()), findings=(said,))
    found = judged(replace(result(product()), again=again))
    assert found.status == "passed" and "asks for more memory than a GPU has" in found.warnings[0]
    assert found.asides == () and Judged.from_json(found.to_json()) == found


UNKNOWN = {"kind": "unsupported", "severity": "warning", "line": 1, "message": "call.uni"}


@pytest.mark.parametrize(
    "more, words",
    [
        ({"again": RawResult(findings=(UNKNOWN,))}, "was not possible"),
        ({"again": RawResult()}, "came to no end"),
        ({"detail": "at the second look: timeout no answer"}, "came to no end"),
        ({"again": result(product())}, ""),
    ],
)
def test_a_second_look_that_was_none_is_told_to_the_instructor_alone(more: dict, words: str):
    found = judged(replace(result(product()), **more))
    assert found.status == "passed" and found.warnings == ()
    assert len(found.asides) == bool(words) and all(words in aside for aside in found.asides)


@pytest.mark.parametrize("line", [0, -1, 5, 10**30, "1", None, True, 1.5, [1]])
def test_lines_that_are_none_are_left_out(line: object):
    finding = {"kind": "misaligned", "severity": "error", "line": line}
    assert "line" not in judged(result(product(), None, finding)).cases[0].message


def test_a_result_on_the_gpu_counts_as_well():
    right, wrong = result(product()), result(product() + 1)
    assert judged(right, gpu_cases=(right,)).status == "passed"
    assert judged(right, gpu_cases=(wrong,)).status == "failed"
    assert judged(wrong, gpu_cases=(right,)).status == "failed"


@pytest.mark.parametrize(
    "problem, status",
    [("timeout", "timeout"), ("not run", "timeout"), ("memory", "failed"), ("crash", "failed"), ("output", "failed")],
)
def test_what_ended_the_child(problem: str, status: str):
    found = judged(RawResult(problem=problem, detail="pid 17"))
    assert found.status == status and found.cases[0].message and "17" not in found.cases[0].message


def test_what_ended_the_child_while_it_compiled():
    assert judge(JOB, Execution(problem="timeout")).status == "timeout"
    assert judge(JOB, Execution(problem="crash")).status == "compile_error"


def test_the_compilers_messages_are_cut_and_on_one_line_each():
    errors = ({"message": "bad\x1b[2Jthing\r\n<b>" + "x" * 1000, "line": 3}, {"message": 5}, {}, {}, {"line": {}})
    found = judge(JOB, Execution(errors=errors))
    lines = found.note.split("\n")
    assert found.status == "compile_error" and lines[0].startswith("Line 3: bad") and lines[-1] == "and 2 more"
    assert max(map(len, lines)) < 400 and "\x1b" not in found.note and "\r" not in found.note


def test_a_broken_rule_fails_with_the_lessons_own_sentence():
    rule = CounterRule("sectors_per_request", "global_load", 4, (64, 64, 64), "Neighbours should read neighbours.")
    job = replace(JOB, kernel=replace(KERNEL, rules=(rule,)))
    found = judge(job, Execution(cases=(result(product()),), rules=(0,)))
    assert found.status == "failed" and found.cases[0].ok
    assert (found.cases[1].kind, found.cases[1].message, found.cases[1].ok) == (RULE_KIND, rule.says, False)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"schedules": "all", "data": "all", "because": None}, "whatever A and B hold."),
        ({"schedules": "all", "data": "all", "numbers": {"beta": 1, "<b>": 2}}, "with the values of beta that were"),
        ({"schedules": "all", "data": "those that ran", "because": {"line": 2}}, "something else: line 2."),
        (
            {"schedules": "those that ran", "because": {"line": 999, "message": "<b>"}},
            "not proved: because of the kernel",
        ),
        ({"schedules": "always"}, ""),
        ({"schedules": "all", "data": []}, ""),
    ],
)
def test_how_far_it_goes_that_there_is_no_race_is_said_in_our_words(said: dict, words: str):
    found = judged(result(product()), holds=said)
    assert found.holds.count(words) == 1 if words else found.holds == ""
    assert "<b>" not in found.holds and "999" not in found.holds and Judged.from_json(found.to_json()) == found
    assert judged(result(product() + 1), holds=said).holds == ""


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=6,
)
findings = st.fixed_dictionaries(
    {}, optional={
        "kind": st.sampled_from(FINDING_KINDS) | anything, "severity": st.sampled_from(["error", "warning"]) | anything,
        "line": st.integers(-2, 9) | anything, "message": st.just("A is 37×53, seed 7, C[36][52] = 811") | anything,
        "details": anything,
    },
)  # fmt: skip


@settings(max_examples=200)
@given(st.lists(findings, max_size=4))
def test_no_word_of_the_childs_reaches_the_student(found: list[dict]):
    """Whatever the child says, a message is one of ours, with at most a line of the source in it."""
    (mark,) = judged(result(product() + 1, None, *found)).cases
    assert not mark.ok and mark.finding in FINDING_KINDS
    words = re.sub(r", line [1-4]\.$", ".", mark.message)
    assert not re.search(r"[0-9×\[\]]", words) and words.endswith(".")


@given(st.integers(1, 70), st.integers(1, 70))
def test_the_picture_does_not_tell_the_shape(M: int, N: int):
    assert wrong_picture(np.ones((M, N), bool)) == wrong_picture(np.ones((1, 1), bool))
    assert wrong_picture(np.zeros((M, N), bool)) == ""


def test_the_picture_shows_where():
    wrong = np.zeros((64, 64), bool)
    wrong[60:] = True
    picture = ElementTree.fromstring(wrong_picture(wrong))
    cells = [node for node in picture if node.get("x")]
    assert len(cells) == CELLS and len({node.get("y") for node in cells}) == 1
    assert picture[0].text == "Wrong elements of C: at the lower edge"


@pytest.mark.parametrize(
    "rows, cols, words",
    [
        (slice(None), slice(None), "everywhere"),
        (slice(16, 19), slice(None), "lower edge"),
        (slice(None), slice(16, 20), "right edge"),
        (slice(0, 1), slice(0, 1), "places"),
    ],
)
def test_where_in_words(rows: slice, cols: slice, words: str):
    wrong = np.zeros((19, 20), bool)
    wrong[rows, cols] = True
    assert where(wrong) == words


def test_what_is_kept_is_the_same_when_it_is_read_again():
    found = judged(result(product() + 1, None, {"kind": "race", "line": 1, "message": "x"}))
    assert Judged.from_json(json.loads(json.dumps(found.to_json()))) == found


def test_plain_text_has_no_control_characters():
    assert plain("a\x1b]0;title\x07\u202eb\nc") == "a ]0;title  b c"
