"""A verdict as a page: the words are those of the command line, and nothing of the student's file is taken for HTML."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape, unescape

import numpy as np
import pytest

from gemmlab.kernel.verdict import Because, CaseResult, Finding, HoldsFor, Verdict
from gemmlab.pictures.verdict import VerdictReport
from gemmlab.text.verdict import checked_by, headline, proved

SOURCE = "int a;\nif (a < b && c > d) <b>x</b>;\nint z;"
WRONG = np.zeros((2, 3), bool)
WRONG[1, 2] = True
FAILED = Verdict(
    "failed",
    (Finding("race", "thread (0,0) & <script>alert(1)</script>", line=2, column=5, count=3),),
    (CaseResult((64, 64, 64), True, 0.0), CaseResult((2, 3, 1), False, 1.5, "integer", WRONG)),
)


def page(verdict: Verdict, source: str = SOURCE) -> str:
    return VerdictReport(verdict, source)._repr_mimebundle_()["text/html"]


def words(html: str) -> list[str]:
    return unescape(re.sub(r"<[^>]+>", " ", html)).split()


def test_the_page_says_what_the_command_line_says():
    bundle = VerdictReport(FAILED, SOURCE)._repr_mimebundle_()
    signs = {"✔", "✘"}
    assert [word for word in words(bundle["text/html"]) if word not in signs] == [
        word.rstrip() for word in bundle["text/plain"].split()
    ]


def test_nothing_of_the_students_is_html():
    html = page(FAILED)
    assert "<script>" not in html and "&lt;script&gt;" in html and "&lt;b&gt;x&lt;/b&gt;" in html


def test_the_line_is_marked_by_more_than_its_colour():
    code = re.search(r"<pre[^>]*>(.*)</pre>", page(FAILED))[1].split("<br>")
    assert code[1].startswith("<b ") and ">    2 | if (a < b" in unescape(re.sub(r"<[^>]+>", "", code[1]))
    assert not code[0].startswith("<b ") and len(code) == 4, "a neighbour before, the line, a caret, a neighbour after"


@pytest.mark.parametrize("status", ["passed", "unattempted", "compile_error", "timeout"])
def test_each_state_has_a_sign(status):
    html = page(Verdict(status))
    assert headline(Verdict(status)) in html and any(sign in html for sign in "✔○✘")


def test_the_cases_are_a_table_with_heads():
    html = page(FAILED)
    assert html.count('<th scope="col"') == 6 and html.count("<tr>") == 3
    assert "✘ 1 of 6 elements wrong" in html and "✔ right" in html


def test_many_findings_are_cut():
    findings = tuple(Finding("race", f"number {n}", line=1) for n in range(30))
    html = page(Verdict("failed", findings))
    assert "number 11" in html and "number 12" not in html and "… and 18 more." in html


@pytest.mark.parametrize("public", [True, False])
def test_right_numbers_are_not_said_to_have_passed_where_the_kernel_fails(public):
    cases = (CaseResult((2, 3, 1), True, 0.0),) * 7
    whose = "public cases" if public else "cases"
    failed = Verdict("failed", (Finding("counter", "C is right, but …"),), cases)
    assert headline(failed, public) == f"failed: C is right in all 7 {whose}, but the kernel has a fault"
    assert headline(Verdict("passed", (), cases), public) == f"{whose} passed (7 of 7)"
    wrong = (CaseResult((2, 3, 1), False, 1.0, wrong=WRONG),)
    assert headline(Verdict("failed", (), cases + wrong), public) == f"failed (7 of 8 {whose} passed)"
    assert headline(Verdict("failed"), public) == f"failed (0 of 0 {whose} passed)"


def test_how_far_it_goes_that_no_race_was_found_is_said_after_the_cases():
    why = Because(31, "a value", "line 31: the address depends on <a value>")
    shapes = ((64, 64, 64),)
    for holds, says in (
        (HoldsFor(shapes), "No race in any order of the warps, for any data, at these shapes."),
        (HoldsFor(shapes, numbers=("beta",)), "for any data and the values of beta that ran, at these shapes."),
        (HoldsFor(shapes, data=why), f"for the data that ran, at these shapes. Not for any data: {why.message}."),
        (HoldsFor(shapes, why), f"that ran, at these shapes. Not proved for any order: {why.message}."),
    ):
        verdict = replace(FAILED, holds_for=holds)
        assert says in proved(holds) and escape(proved(holds)) in page(verdict)
        assert proved(holds) in " ".join(VerdictReport(verdict, "")._repr_mimebundle_()["text/plain"].split())


@pytest.mark.parametrize(
    ("backend", "kinds", "said"),
    [
        ("emulator", ["race"], "Checked by the emulator, on this machine's CPU."),
        ("cuda", ["wrong_result"], "Checked on the GPU and by the emulator."),
        ("cuda", ["race", "wrong_result"], "which alone can see a race."),
    ],
)
def test_a_fault_that_no_gpu_shows_is_said_to_be_the_emulators(backend, kinds, said):
    found = Verdict("failed", tuple(Finding(kind, "A fault.") for kind in kinds), FAILED.cases, backend)
    assert checked_by(found).endswith(said)
