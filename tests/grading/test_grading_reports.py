"""Reports: columns, escaping, hostile names, what students may see, Gradescope's format, the same bytes each time."""

from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from gemmlab.errors import UserError
from grading import reports
from grading.marking import csv_text, hand_marks
from grading.marking.wrong_picture import wrong_picture
from grading.model import CaseMark, Graded, HandItem, KernelMark, Predicted
from grading.reports import names, statistics
from grading.summary import print_summary

EVIL = "<script>alert(1)</script>"
PICTURE = wrong_picture(np.eye(20, 30, dtype=bool))
CASES = (
    CaseMark("whole tiles", "ordinary", True, max_error=1e-6),
    CaseMark("one row", "boundary", False, "Elements of C are wrong, line 2.", "wrong_result", 3.5, PICTURE),
    CaseMark("one column", "boundary", False, "Elements of C are wrong, line 2.", "wrong_result", 3.5, PICTURE),
)
MARKS = {"ordinary": 2.0, "boundary": 1.0, "explanation": 1.0}


def one(student: str = "ann", lesson: str = "04_ragged_edges", **more: Any) -> Graded:
    """A submission right at ordinary shapes and wrong at boundary shapes."""
    kernel = KernelMark(lesson, "failed", 2, 0, source="first\nsecond <b>\nthird", changes="-old\n+new", cases=CASES)
    values: dict[str, Any] = {
        "code": 2.0, "title": "Ragged edges", "cases": CASES, "marks": MARKS, "kernels": (kernel,),
        "hand_items": (HandItem("explanation", 1, "Why?", "because"), HandItem("q1", 2, "", "so", 1.5, "well done")),
        "hand": 1.5,
    }  # fmt: skip
    return Graded(student, lesson, "failed", **(values | more))


def audit_of(graded: Graded, seconds: float = 1.0) -> dict:
    return {"student": graded.student, "kernel": graded.lesson, "key": graded.student, "seconds": seconds, "log": ["x"]}


def written(out: Path, *graded: Graded) -> dict[str, str]:
    reports.write(out, graded, [audit_of(one) for one in graded])
    return {str(path.relative_to(out)): path.read_text("utf-8") for path in out.rglob("*") if path.is_file()}


def grades(files: dict[str, str]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files["grades.csv"])))


class Tags(HTMLParser):
    """The elements of a page, and whether each is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


# ---- the table


def test_the_columns_that_others_rely_on_come_first(tmp_path):
    files = written(tmp_path, one(veto="a race", note="two\nlines"))
    assert files["grades.csv"].startswith("student,lesson,code,boundary,total,veto,status,note,")
    (row,) = grades(files)
    assert [row[name] for name in ("student", "lesson", "code", "boundary", "total", "veto", "status", "note")] == [
        "ann", "04_ragged_edges", "2", "0", "3.5", "a race", "failed", "two lines",
    ]  # fmt: skip
    assert (row["result"], row["hand"], row["explanation"], row["q1"]) == ("failed", "1.5", "", "1.5")


FORMULAS = ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1", 'x;=cmd|" /C calc"!A0', 'a\t"=1']


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_whatever_separates_cells(text):
    line = csv_text.written(["a", "b"], [{"a": text, "b": "x"}]).partition("\n")[2]
    for separator in ",;\t":
        for cell in next(csv.reader(io.StringIO(line, newline=""), delimiter=separator)):
            assert not cell.strip(" \r\n\t\"'").startswith(("=", "+", "-", "@", "＝")) or "'" in cell
    assert csv_text.read(csv_text.written(["a", "b"], [{"a": text, "b": "x"}]).encode())[0]["a"].strip() == text.strip()


def test_formulas_in_names_and_notes_are_escaped_in_the_files(tmp_path):
    files = written(tmp_path, one("=cmd|' /C calc'!A0", note="@SUM(1)", hand_items=(HandItem("q1", 2, answer="=1+1"),)))
    (row,) = grades(files)
    assert row["student"] == "'=cmd|' /C calc'!A0" and row["note"] == "'@SUM(1)"
    rows = list(csv.DictReader(io.StringIO(files["hand_marks.csv"])))
    assert rows[0]["answer"] == "'=1+1" and rows[0]["student"].startswith("'=")
    assert hand_marks.read(tmp_path).rows_of("=cmd|' /C calc'!A0", "04_ragged_edges", "q1")


# ---- names


HOSTILE = [
    "../x", "..", ".", "", "/etc/passwd", "a/b", "a\\b", EVIL, "=cmd", "CON", "con.txt", "nul", "x" * 300, "x" * 299,
    "Ann", "ann", "ANN", "straße", "STRASSE", "ﬁn", "fin", "e\u0301", "é", "a\0b", "a\nb", " ann", "ann ", "ann.",
    "日本語", "\ud800", "\u202egnp",
]  # fmt: skip


def test_hostile_names_become_distinct_names_of_files_in_the_folder(tmp_path):
    found = names.file_names(HOSTILE)
    assert set(found) == set(HOSTILE)
    assert len({name.casefold() for name in found.values()}) == len(HOSTILE)
    for name in found.values():
        path = tmp_path / f"{name}.html"
        path.write_text("")
        assert path.parent.resolve() == tmp_path.resolve() and len(path.name.encode()) <= 255
    assert len(list(tmp_path.iterdir())) == len(HOSTILE)


def test_plain_names_are_kept_and_do_not_depend_on_the_others():
    assert names.file_names(["Anna Müller_123", "bob"]) == {"Anna Müller_123": "Anna Müller_123", "bob": "bob"}
    assert names.file_names(["../x"]) == {"../x": names.file_names(["../x", "bob"])["../x"]}


def test_nobody_can_take_the_file_of_another():
    victim = names.file_names(["../x"])["../x"]
    found = names.file_names(["../x", victim])
    assert len({name.casefold() for name in found.values()}) == 2


def test_hostile_names_go_through_all_reports(tmp_path):
    students = [name for name in HOSTILE if name.isprintable() and name]
    files = written(tmp_path, *(one(student) for student in students))
    for folder in ("feedback", "gradescope"):
        assert len(list((tmp_path / folder).iterdir())) == len(students)
    assert {path.name for path in tmp_path.iterdir()} == {
        "feedback", "gradescope", "grades.csv", "hand_marks.csv", "overview.html", "times.html", "audit.jsonl",
    }  # fmt: skip
    assert len(grades(files)) == len(students)
    for row in grades(files):
        assert (tmp_path / row["feedback"].removeprefix("'")).is_file()


# ---- pages


def evil() -> Graded:
    """Student's text wherever a student's text can be."""
    kernel = KernelMark(
        f"14_claims_clinic/{EVIL}", "compile_error", note=f"Line 1: {EVIL}", source=EVIL, changes=f"+{EVIL}"
    )
    return one(
        EVIL, title=EVIL, note=EVIL, veto=f"{EVIL} ![x](http://evil.example/x.png) [y](javascript:alert(1))",
        remarks=(EVIL,), kernels=(kernel,), changes=EVIL, hand_items=(HandItem("q1", 2, EVIL, EVIL, 1, EVIL, EVIL),),
        predictions=(Predicted(EVIL, EVIL, 1.0, 2.0, EVIL),),
        cases=(CaseMark(EVIL, "ordinary", False, EVIL, "race", wrong=EVIL),),
    )  # fmt: skip


def test_nothing_of_a_student_is_html(tmp_path):
    files = written(tmp_path, evil(), one("bob"))
    pages = {name: text for name, text in files.items() if name.endswith(".html")}
    assert len(pages) == 4
    for text in pages.values():
        page = Tags(text)
        assert not page.open
        assert not {"script", "iframe", "object", "form", "base", "img"} & set(page.seen)
        links = [value for name, value in page.attributes if name in ("href", "src")]
        assert all(re.match(r"feedback/|times\.html|#", value) for value in links)
        assert not any(name.startswith("on") for name, _ in page.attributes)
        assert "default-src 'none'" in text


def test_a_picture_that_is_not_ours_is_left_out(tmp_path):
    case = CaseMark("one row", "boundary", False, "wrong", "wrong_result", 1.0, "<img src=x onerror=alert(1)>")
    files = written(tmp_path, one(kernels=(KernelMark("04", "failed", cases=(case,)),)))
    assert "onerror" not in files["feedback/ann.html"]


def test_feedback_tells_what_a_student_needs(tmp_path):
    text = written(tmp_path, one(veto="a race between threads", remarks=("two files, the first counts",)))[
        "feedback/ann.html"
    ]
    for words in (
        "3.5 of 10", "a race between threads", "two files", "2 of 3 hidden cases failed", "one row", "one column",
        "well done", "because", "third", "-old", "+new",
    ):  # fmt: skip
        assert words in text, words
    assert text.count("Elements of C are wrong, line 2.") == 1  # one fault, two cases
    assert text.count("<svg") == 2
    assert re.search(r'class="named"><i>2</i>second &lt;b&gt;', text)
    page = Tags(text)
    assert ("lang", "en") in page.attributes and page.seen.count("h1") == 1
    assert page.seen.count("th") == sum(name == "scope" for name, _ in page.attributes)
    assert "prefers-color-scheme: dark" in text


def test_students_are_told_nothing_that_is_for_the_instructor(tmp_path):
    secrets = {"note": "SECRET-NOTE", "hand_items": (HandItem("q1", 2, "Q?", "A", None, "", "SECRET-PROBLEM"),)}
    files = written(tmp_path, one(**secrets))
    assert "SECRET-NOTE" in files["overview.html"]
    shown = files["feedback/ann.html"] + files["gradescope/ann.json"]
    assert "SECRET" not in shown
    assert "At the K edge" not in shown  # the model answer
    assert "At the K edge" in files["hand_marks.csv"]
    assert "3.5e" not in shown and "1e-06" not in shown  # errors tell of the data


def test_several_lessons_of_a_student_are_on_one_page(tmp_path):
    files = written(tmp_path, one(lesson="02_tiled_fma", title="Tiles"), one())
    text = files["feedback/ann.html"]
    assert text.index('id="02_tiled_fma"') < text.index('id="04_ragged_edges"')
    assert len(json.loads(files["gradescope/ann.json"])["tests"]) == 8
    assert len(grades(files)) == 2


def test_pages_of_students_who_left_are_taken_away(tmp_path):
    written(tmp_path, one("ann"), one("bob"))
    files = written(tmp_path, one("bob"))
    assert "feedback/ann.html" not in files and "gradescope/ann.json" not in files
    assert "feedback/bob.html" in files


def test_the_same_results_give_the_same_bytes_and_times_stand_apart(tmp_path):
    class_ = [one("ann", seconds=1.0), evil(), one("bob", veto="a race")]
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, seconds in ((first, 1.0), (second, 2.0)):
        folder.mkdir()
        again = [Graded(**(vars(graded) | {"seconds": seconds})) for graded in class_]
        for _ in range(2):
            reports.write(folder, again, [audit_of(graded, seconds) for graded in again])
    different = {
        path.name
        for path in first.rglob("*")
        if path.is_file() and path.read_bytes() != (second / path.relative_to(first)).read_bytes()
    }
    assert different == {"times.html", "audit.jsonl"}


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "feedback").write_text("in the way")
    with pytest.raises(UserError, match="cannot write the reports"):
        reports.write(tmp_path, [one()], [])


# ---- Gradescope


VISIBILITY = {"hidden", "after_due_date", "after_published", "visible"}
FORMATS = {"text", "html", "simple_format", "md", "ansi"}
TOP = {
    "score", "execution_time", "output", "output_format", "test_output_format", "test_name_format", "visibility",
    "stdout_visibility", "extra_data", "tests", "leaderboard",
}  # fmt: skip
TEST = {
    "score", "max_score", "status", "name", "name_format", "number", "output", "output_format", "tags", "visibility",
    "extra_data",
}  # fmt: skip


def test_the_json_is_what_gradescope_takes(tmp_path):
    text = written(tmp_path, one("ann", code=2 * 2 / 7), one("ann", "02_tiled_fma"))["gradescope/ann.json"]
    results = json.loads(text, parse_constant=pytest.fail)
    assert set(results) <= TOP
    assert {results["visibility"], results["stdout_visibility"]} <= VISIBILITY
    assert {results[name] for name in ("output_format", "test_output_format", "test_name_format")} <= FORMATS
    assert isinstance(results["output"], str) and isinstance(results["score"], float)
    for test in results["tests"]:
        assert set(test) <= TEST and isinstance(test["name"], str) and isinstance(test["output"], str)
        assert test.get("status", "passed") in ("passed", "failed")
        assert 0 <= test.get("score", 0) <= test.get("max_score", 0)
    assert results["score"] == pytest.approx(sum(test.get("score", 0) for test in results["tests"]), abs=0.02)


def test_a_warning_reaches_the_student_and_the_instructor(tmp_path):
    """The note has it from score.grade."""
    said = "It asks for too much <b>. This costs no marks here."
    warned = KernelMark("04_ragged_edges", "passed", 2, 1, cases=CASES[:1], warnings=(said,), holds="No order has <i>.")
    graded = [one("ann", kernels=(warned,), note=said), one("bob")]
    files = written(tmp_path, *graded)
    assert "</strong> It asks for too much &lt;b&gt;. This costs no marks here." in files["feedback/ann.html"]
    assert "Warning" not in files["feedback/bob.html"] and "Warning" not in files["gradescope/bob.json"]
    tests = json.loads(files["gradescope/ann.json"])["tests"]
    assert [f"Warning: {said}" in test["output"] for test in tests[:2]] == [True, True]
    assert "No order has &lt;i&gt;." in files["feedback/ann.html"]
    assert ["No order has <i>." in test["output"] for test in tests[:2]] == [True, False]
    assert "It asks for too much &lt;b&gt;" in files["overview.html"] and "too much" in files["grades.csv"]
    for some, told in ((graded, True), (graded[1:], False)):
        console = Console(file=io.StringIO(), width=200)
        print_summary(some, tmp_path, console)
        assert ("With warnings, which cost no marks: 1." in console.file.getvalue()) == told


def test_gradescope_is_told_kinds_vetoes_and_what_is_not_marked(tmp_path):
    results = json.loads(written(tmp_path, one(veto="a race"))["gradescope/ann.json"])
    assert "whatever the marks are: a race" in results["output"] and "explanation" in results["output"]
    ordinary, boundary, explanation, question = results["tests"]
    assert (ordinary["status"], boundary["status"]) == ("passed", "failed")
    assert "one row: Elements of C are wrong" in boundary["output"]
    assert "score" not in explanation and (question["score"], question["output"]) == (1.5, "well done")


# ---- the class


def test_statistics_count_what_fails_most():
    good = tuple(CaseMark(case.kind, case.group, True) for case in CASES)
    race = tuple(CaseMark(case.kind, case.group, case.kind != "one row", finding="race") for case in CASES)
    marks = (HandItem("q1", 2, marks=2.0),)
    lesson = statistics.by_lesson(
        [one("a", cases=good, hand_items=marks, hand=None, boundary=1.0), one("b"), one("c", cases=race, veto="a race")]
    )[0]
    assert [(kind.kind, kind.failed, kind.tried) for kind in lesson.kinds] == [
        ("one row", 2, 3), ("one column", 1, 3), ("whole tiles", 0, 3),
    ]  # fmt: skip
    assert lesson.findings == {"race": 1, "wrong_result": 1} and lesson.vetoes == {"a race": 1}
    assert lesson.totals[3] == 3 and sum(lesson.totals) == 3
    assert [(item.id, item.marked, item.mean) for item in lesson.items] == [
        ("q1", 3, pytest.approx(5 / 3)), ("explanation", 0, None),
    ]  # fmt: skip


def test_full_marks_are_in_the_last_bin():
    assert statistics.by_lesson([one(code=2.0, boundary=1.0, hand=7.0)])[0].totals[-1] == 1


def test_the_overview_names_likely_copies_and_marks_that_could_not_be_used(tmp_path):
    odd = "if (col < N && row < M) { float mine = acc * 1.0f; C[row * N + col] = mine; }"
    (tmp_path / hand_marks.FILE_NAME).write_text("student,lesson,item,marks\nzoe,04_ragged_edges,q1,2\n")
    names_of = ("ann", "bob", "cid", "dan", "eve", "fay")
    class_ = [one(name, blanks={"store": odd if number < 2 else str(number)}) for number, name in enumerate(names_of)]
    text = written(tmp_path, *class_)["overview.html"]
    copies = text[text.index("Likely copies") : text.index('id="students"')]
    assert {name for name in names_of if f">{name}<" in copies} == {"ann", "bob"} and "store" in copies
    assert "zoe, 04_ragged_edges, q1: no such student" in text


def test_times_count_equal_kernels_once(tmp_path):
    audit = [audit_of(one("ann"), 2.0) | {"key": "same"}, audit_of(one("bob"), 2.0) | {"key": "same"}]
    reports.write(tmp_path, [one("ann"), one("bob")], audit)
    assert "Executed 1 times, 2.0 s of work" in (tmp_path / "times.html").read_text()
    lines = (tmp_path / "audit.jsonl").read_text().splitlines()
    assert [json.loads(line)["student"] for line in lines] == ["ann", "bob"]
