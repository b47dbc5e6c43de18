"""Marks, statuses, vetoes, marks by hand and the result of a lesson."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from gemmlab.course.lesson import Lesson, load, load_all
from gemmlab.errors import UserError
from grading.marking import hand_marks, rubric, score
from grading.marking.hand_marks import HandMarks
from grading.marking.judge import RULE_KIND
from grading.model import Attempt, CaseMark, Graded, Judged, Spliced, Submission

RIGHT = (
    CaseMark("whole tiles", "ordinary", True),
    CaseMark("more columns", "ordinary", True),
    CaseMark("one row", "boundary", True),
    CaseMark("one column", "boundary", True),
)
LESSON = load("04")
NOTHING = HandMarks()


def with_wrong(kind: str, finding: str = "wrong_result") -> tuple[CaseMark, ...]:
    assert kind in {case.kind for case in RIGHT}
    return tuple(replace(case, ok=False, finding=finding) if case.kind == kind else case for case in RIGHT)


def graded(
    cases: tuple[CaseMark, ...] = RIGHT,
    status: str = "passed",
    *,
    spliced: Spliced = Spliced("source"),
    hand: HandMarks = NOTHING,
    lesson: Lesson = LESSON,
    submission: Submission = Submission("ann", LESSON.name, "source", origin="ann.cu"),
) -> Graded:
    judged = Judged(status, cases, seconds=1.5)
    return score.grade(submission, lesson, [Attempt(lesson.kernel, spliced, "key", judged)], hand)


def by_hand(**marks: object) -> HandMarks:
    """Marks of ann's lesson, as typed."""
    return HandMarks(
        {"student": "ann", "lesson": LESSON.name, "item": item, "marks": str(typed)} for item, typed in marks.items()
    )


# ---- the code


def test_all_right_gives_all_marks_of_the_code():
    one = graded()
    assert (one.status, one.code, one.boundary, one.total, one.veto) == ("passed", 2, 1, 3, "")
    assert one.hand is None and one.result == "open" and one.seconds == 1.5


@pytest.mark.parametrize(
    "wrong, code, boundary", [("one row", 2, 0), ("whole tiles", 0, 1), ("one column", 2, 0), ("more columns", 0, 1)]
)
def test_one_wrong_case_costs_the_marks_of_its_group_and_no_others(wrong, code, boundary):
    one = graded(with_wrong(wrong), "failed")
    assert (one.status, one.code, one.boundary) == ("failed", code, boundary)


@pytest.mark.parametrize("status", ["compile_error", "timeout"])
def test_without_cases_there_are_no_marks(status):
    one = graded((), status)
    assert (one.status, one.code, one.boundary, one.result) == (status, 0, 0, "failed")


def test_a_broken_limit_on_traffic_costs_the_ordinary_marks_and_is_a_veto_where_the_lesson_says_so():
    cases = (*RIGHT, CaseMark(RULE_KIND, "ordinary", False, "too much", "counter"))
    one = graded(cases, "failed")
    assert (one.code, one.boundary, one.veto) == (0, 1, "")
    strict = replace(LESSON, vetoes=("more memory traffic than needed",))
    assert "memory traffic" in graded(cases, "failed", lesson=strict).veto


def test_open_blanks_are_not_attempted_and_named():
    submission = Submission("ann", LESSON.name, "source", origin="ann.cu")
    attempt = Attempt(LESSON.kernel, Spliced("source", {"store": "______;"}, open_blanks=("store",)))
    one = score.grade(submission, LESSON, [attempt], NOTHING)
    assert (one.status, one.total, one.blanks) == ("unattempted", 0, {})
    assert "store" in one.note and "store" in one.kernels[0].note


@pytest.mark.parametrize("origin, status", [("ann/02.ipynb", "unreadable"), ("", "unattempted")])
def test_what_could_not_be_read_has_its_own_status_and_note(origin, status):
    submission = Submission("ann", LESSON.name, None, note="it is no notebook", origin=origin)
    one = score.grade(submission, LESSON, [], NOTHING)
    assert (one.status, one.total, one.kernels) == (status, 0, ())
    assert "it is no notebook" in one.note


# ---- vetoes


@pytest.mark.parametrize("kind", ["whole tiles", "one row"])
def test_a_race_is_a_veto_wherever_it_is(kind):
    one = graded(with_wrong(kind, "race"), "failed", hand=by_hand(explanation=1, q1=2, q2=2, q3=2))
    assert one.veto and one.status == "failed" and one.result == "failed"


@pytest.mark.parametrize("finding", ["wrong_result", "barrier_divergence", "out_of_bounds", "uninitialized", "timeout"])
def test_other_findings_cost_marks_only(finding):
    assert graded(with_wrong("one row", finding), "failed").veto == ""


def test_a_check_that_was_taken_out_fails_a_kernel_that_is_right_otherwise():
    spliced = Spliced("source", vetoes=("the boundary check `row < M` was taken out or changed",))
    one = graded(spliced=spliced, hand=by_hand(explanation=1, q1=2, q2=2, q3=2))
    assert (one.status, one.total, one.result) == ("failed", 10, "failed")
    assert one.veto == spliced.vetoes[0]


def test_the_instructor_may_veto_and_must_give_a_reason():
    row = {"student": "ann", "lesson": LESSON.name, "item": "veto", "marks": ""}
    reason = "the GFLOPS were never measured"
    assert graded(hand=HandMarks([row | {"comment": reason}])).veto == reason
    one = graded(hand=HandMarks([row | {"marks": "yes"}]))
    assert one.veto == "" and "reason" in one.note


# ---- by hand


@pytest.mark.parametrize(
    "marks, total, result",
    [
        ({"explanation": 1, "q1": 2, "q2": 2, "q3": 0}, 8, "passed"),
        ({"explanation": "0,5", "q1": 2, "q2": 2, "q3": 0}, 7.5, "failed"),
        ({"explanation": 1, "q1": 2, "q2": 2}, 8, "passed"),
        ({"explanation": 0, "q1": 0}, 3, "failed"),
        ({"q1": 2}, 5, "open"),
    ],
)
def test_eight_of_ten_pass_as_soon_as_that_is_certain(marks, total, result):
    one = graded(hand=by_hand(**marks))
    assert (one.total, one.result) == (total, result)
    assert len(one.unmarked) == 4 - len(marks)


@pytest.mark.parametrize(
    "typed, words", [("3", "3 of 2 marks"), ("-1", "of 2 marks"), ("two", "no number"), ("nan", "no number")]
)
def test_bad_marks_are_told_and_count_as_none(typed, words):
    one = graded(hand=by_hand(q1=typed, q2=2))
    assert one.total == 5 and words in one.note
    assert {item.id for item in one.unmarked} == {"explanation", "q1", "q3"}


def test_answers_stand_beside_their_questions():
    submission = Submission("ann", LESSON.name, "source", answers={"q2": "NaN spoils it"}, origin="ann.ipynb")
    items = {item.id: item for item in graded(submission=submission).hand_items}
    assert list(items) == ["explanation", "q1", "q2", "q3"]
    assert items["q2"].answer == "NaN spoils it" and items["q2"].question == LESSON.questions[1].text
    assert items["explanation"].question.startswith("For each of your three lines")


def test_predictions_are_remarked_on_and_give_no_marks():
    submission = Submission("ann", LESSON.name, "source", predictions={"over": 5.0, "filled": -1.0}, origin="ann.ipynb")
    one = graded(submission=submission)
    over, filled, idle, *_ = one.predictions
    assert over.remark.startswith("right") and filled.remark == "no number of 0 or more"
    assert idle.value is None and idle.remark == "" and one.total == 3


# ---- several kernels


def clinic(right: int, status: str = "failed") -> Graded:
    """Lesson 14 with so many of its kernels mended, and the others still racing."""
    lesson = load("14")
    attempts = []
    for number, kernel in enumerate(lesson.kernels):
        judged = Judged("passed", RIGHT) if number < right else Judged(status, with_wrong("one row", "race"))
        attempts.append(Attempt(kernel, Spliced("source", {str(kernel.patient): "-a\n+b"}), f"key{number}", judged))
    return score.grade(Submission("ann", lesson.name, "source", origin="x"), lesson, attempts, NOTHING)


def test_patients_share_the_marks_evenly():
    one = clinic(5)
    assert one.code == 2  # what is ill at an edge is right at whole tiles
    assert one.boundary == pytest.approx(5 / 7)
    assert len(one.kernels) == len(one.blanks) == 7
    whole = clinic(7)
    assert (whole.code, whole.boundary, whole.status) == (2, 1, "passed")


def test_a_patient_that_is_still_ill_is_no_veto():
    assert clinic(6).veto == "" and clinic(6).status == "failed"
    assert clinic(0, "timeout").status == "timeout"


# ---- the file of marks


def test_rows_are_found_by_their_id_where_a_spreadsheet_changed_the_name():
    row = hand_marks.row_id("00123", LESSON.name, "q1")
    hand = HandMarks([{"row": row, "student": "123", "lesson": LESSON.name, "item": "q1", "marks": "2"}])
    assert hand.of("00123", LESSON.name, "q1", 2).marks == 2
    assert hand.of("00124", LESSON.name, "q1", 2).marks is None


def test_a_row_copied_for_another_student_counts_for_that_one_only():
    ann, bob = (hand_marks.row_id(name, LESSON.name, "q1") for name in ("ann", "bob"))
    cells = {"lesson": LESSON.name, "item": "q1"}
    rows = [
        {"row": ann, "student": "ann", "marks": "1"} | cells,
        {"row": ann, "student": "bob", "marks": "2"} | cells,
        {"row": bob, "student": "bob", "marks": ""} | cells,
    ]
    hand = HandMarks(rows)
    assert hand.of("ann", LESSON.name, "q1", 2).marks == 1
    assert hand.of("bob", LESSON.name, "q1", 2).marks == 2


def test_two_different_marks_for_one_answer_count_as_none():
    row = {"student": "ann", "lesson": LESSON.name, "item": "q1"}
    hand = HandMarks([row | {"marks": "1"}, row | {"marks": "2"}])
    given = hand.of("ann", LESSON.name, "q1", 2)
    assert given.marks is None and "more than once" in given.problem
    assert HandMarks([row | {"marks": "1"}, row | {"marks": "1"}]).of("ann", LESSON.name, "q1", 2).marks == 1


@pytest.mark.parametrize(
    "data",
    [
        'student,lesson,item,marks\nann,{0},q1,"1,5"\n'.encode(),
        "\ufeffStudent;Lesson;Item;Marks\r\nann;{0};q1;1,5\r\n".encode(),
        "student\tlesson\titem\tmarks\nann\t{0}\tq1\t1.5\n".encode("utf-16"),
        "student,lesson,item,marks,comment\nann,{0},q1,1.5,über\n".encode("cp1252"),
    ],
    ids=["commas", "semicolons", "unicode text", "windows"],
)
def test_what_spreadsheets_save_is_read(tmp_path: Path, data: bytes):
    encoded = LESSON.name.encode("utf-16-le" if data[:2] == b"\xff\xfe" else "ascii")
    place = "{0}".encode("utf-16-le" if data[:2] == b"\xff\xfe" else "ascii")
    (tmp_path / hand_marks.FILE_NAME).write_bytes(data.replace(place, encoded))
    assert hand_marks.read(tmp_path).of("ann", LESSON.name, "q1", 2).marks == 1.5


def test_a_file_that_is_none_of_marks_is_refused(tmp_path: Path):
    (tmp_path / hand_marks.FILE_NAME).write_text("a,b\n1,2\n")
    with pytest.raises(UserError, match="lacks some of the columns"):
        hand_marks.read(tmp_path)
    (tmp_path / hand_marks.FILE_NAME).write_text('student,lesson,item,marks\n"ann')
    with pytest.raises(UserError, match="no CSV"):
        hand_marks.read(tmp_path)


def test_nothing_that_was_typed_is_lost(tmp_path: Path):
    rows = [
        "student,lesson,item,marks,comment",
        f"ann,{LESSON.name},q1,3,generous",
        f"ann,{LESSON.name},q2,2,fine",
        f"zoe,{LESSON.name},q1,1,who is this",
        "ann,09_warp_tile_autotune,q1,2,of another batch",
    ]
    (tmp_path / hand_marks.FILE_NAME).write_text("\n".join(rows))
    for _ in range(2):
        hand = hand_marks.read(tmp_path)
        hand_marks.write(tmp_path, [graded(hand=hand)], hand)
    kept = hand_marks.read(tmp_path).rows
    typed = {(row["student"], row["item"], row["marks"], row["comment"]): row for row in kept if row["marks"]}
    assert set(typed) == {
        ("ann", "q1", "3", "generous"), ("ann", "q2", "2", "fine"), ("zoe", "q1", "1", "who is this"),
        ("ann", "q1", "2", "of another batch"),
    }  # fmt: skip
    problems = [row["problem"] for row in typed.values()]
    assert ["3 of 2" in problems[0], problems[1], "no such student" in problems[2], problems[3]] == [True, "", True, ""]
    assert len(kept) == 7  # four items, a veto, and the two rows of others


def test_an_answer_that_was_changed_after_it_was_marked_is_told_until_it_is_marked_again(tmp_path: Path):
    def submitted(answer: str) -> list[str]:
        submission = Submission("ann", LESSON.name, "source", answers={"q1": answer}, origin="ann.ipynb")
        hand = hand_marks.read(tmp_path)
        one = graded(hand=hand, submission=submission)
        hand_marks.write(tmp_path, [one], hand)
        return hand_marks.problems([one], hand)

    def mark(**cells: str) -> None:
        hand = hand_marks.read(tmp_path)
        (row,) = hand.rows_of("ann", LESSON.name, "q1")
        row.update(cells)
        hand_marks.save(tmp_path, hand.rows)

    assert submitted("first") == submitted("second") == []
    mark(marks="2")
    assert submitted("second") == []
    for _ in range(2):
        assert "changed after it was marked" in submitted("third")[0]
    mark(marks="1", answer_id="")
    assert submitted("third") == []


# ---- rubrics


@pytest.mark.parametrize("lesson", load_all(), ids=lambda lesson: lesson.name)
def test_every_lesson_has_a_rubric_for_each_of_its_questions(lesson: Lesson):
    found = rubric.load(lesson.name)
    asked = rubric.asked(lesson)
    missing = [item for item in asked if not found.of(item)]
    assert missing == [], f"grading/answers/{lesson.name}.md needs sections for {', '.join(missing)}"
    unasked = [item for item, (_, question) in asked.items() if not question]
    assert unasked == [], f"lessons/{lesson.name}.md asks nothing above the cell for the answer to {', '.join(unasked)}"
