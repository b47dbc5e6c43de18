"""What holds of every lesson there is, and is asked of a new one without a line written for it.

Its model answers are asked for in tests/grading/test_grading_score.py, its right and wrong kernels in
test_student_kernels.py, the notebooks built from it in tests/build/test_build.py.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

import pytest
from lesson_text import asked, diff_of, prose_of, revealed

from gemmlab.check.as_graded import check_lesson
from gemmlab.check.check import check_kernel
from gemmlab.course.blanks import find_slots
from gemmlab.course.kernel import Blank, Kernel
from gemmlab.course.lesson import Lesson, load_all
from gemmlab.cuda.sizes import sizes_of

LESSONS = load_all()
KERNELS = [kernel for lesson in LESSONS for kernel in lesson.kernels]
STARTS = {"11": "04", "12": "09", "15": "09"}  # lessons that do not start from the one before
NEW_BARRIERS = {"15": 1}  # a flag is raised by one thread for the stores of all
STEPS = [
    (before, after)
    for last, after in pairwise(LESSONS)
    for before in [next((one for one in LESSONS if one.number == STARTS.get(after.number)), last)]
    if (after.number in STARTS or int(after.number) == int(before.number) + 1)
    and not any(one.kernels[0].patient or one.kernels[0].whole for one in (before, after))
]
BLANKS = [(kernel, blank) for kernel in KERNELS for blank in kernel.blanks]

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
each_blank = pytest.mark.parametrize(("kernel", "blank"), BLANKS, ids=lambda one: one.name)
each_step = pytest.mark.parametrize(("before", "after"), STEPS, ids=lambda lesson: lesson.number)


def lines_of(text: str) -> list[str]:
    """The lines of code without spacing, comments and the last semicolon."""
    return [code for line in text.split("\n") if (code := "".join(line.partition("//")[0].split()).removesuffix(";"))]


def answer_of(kernel: Kernel, blank: Blank) -> list[str]:
    """The lines of code that the blank asks for: without what its own line says; of a patient what the mend adds."""
    assert blank.answer is not None
    if kernel.patient:
        return [line[1:] for line in lines_of(blank.answer) if line.startswith("+")]
    (slot,) = [slot for slot in find_slots(kernel.starter) if slot.name == blank.name]
    (stub,) = lines_of(kernel.starter.split("\n")[slot.line - 1])
    first, last = stub.split("______")
    rest = [line.removeprefix(first).removesuffix(last) for line in lines_of(blank.answer)]
    return rest if len("".join(rest)) > 8 else lines_of(blank.answer)


def lines_shown_before(kernel: Kernel) -> set[str]:
    """What is no answer any more: the kernel of the lesson before."""
    number = next(i for i, lesson in enumerate(LESSONS) if kernel in lesson.kernels)
    return set(lines_of(LESSONS[number - 1].kernels[0].solution)) if number and not kernel.patient else set()


# ---- its kernels


@each_kernel
def test_the_solution_passes_every_public_case_without_a_remark(kernel):
    verdict = check_kernel(kernel, kernel.solution, kernel.path.name, backend="emulator")
    assert verdict.passed and verdict.findings == ()
    assert verdict.holds_for and (verdict.holds_for.because is not None) == (kernel.devices is not None)
    assert [case.shape for case in verdict.cases][: len(kernel.cases)] == [case.shape for case in kernel.cases]
    ways = verdict.conditions
    assert ways and (ways.count > 0) == (kernel.devices is None)
    if not kernel.whole:  # else the conditions are the student's own
        assert not ways.added and not ways.left, "a shape is missing among the cases: add these, or others like them"


@each_lesson
def test_the_starter_is_nobodys_work(lesson, tmp_path):
    for kernel in lesson.kernels:
        assert kernel.is_untouched(kernel.starter) or kernel.starter == kernel.solution
    if len(lesson.kernels) == 1 and lesson.blanks:
        (tmp_path / "k.cu").write_text(lesson.starter, encoding="utf-8")
        verdict = check_lesson(lesson, tmp_path / "k.cu", "emulator")
        assert verdict.status == "unattempted" and len(verdict.findings) == len(lesson.blanks)


@each_kernel
def test_the_cases_meet_every_edge(kernel):
    """Ordinary shapes are whole tiles; along each side of the tile some ragged shape is not; squares hide a swap."""
    tile = sizes_of(kernel.starter)
    overhang = {
        case.shape: tuple(size % side > 0 for size, side in zip(case.shape, (tile.BM, tile.BN, tile.BK), strict=True))
        for case in kernel.cases
    }
    assert all(any(over) == (case.label == "ragged") for case in kernel.cases for over in [overhang[case.shape]])
    assert all(any(over[axis] for over in overhang.values()) for axis in range(3))
    assert any(len(set(case.shape)) == 3 for case in kernel.cases)
    assert len({case.shape for case in kernel.cases}) == len(kernel.cases)


# ---- one idea a step


@each_step
def test_a_lesson_starts_from_the_one_before_and_adds_one_idea(before: Lesson, after: Lesson):
    new = [line for line in diff_of(before.solution, after.solution) if len(line) > 2]
    gone = [line for line in diff_of(after.solution, before.solution) if len(line) > 2]
    assert len(new) < 60, "so many new lines are more than one idea"
    assert len(gone) <= 0.75 * len(diff_of("", before.solution)), "nothing is left of the kernel before"
    barriers = [lesson.solution.count("__syncthreads();") for lesson in (before, after)]
    assert barriers[1] <= barriers[0] + NEW_BARRIERS.get(after.number, 0) or not barriers[0], "barriers are never new"


# ---- its hints


@each_blank
def test_the_hints_come_nearer_and_none_gives_the_answer(kernel, blank):
    lines = answer_of(kernel, blank)
    answer, new = "".join(lines), [line for line in lines if len(line) > 12 and line not in lines_shown_before(kernel)]
    for hint in blank.hints:
        told = "".join(hint.split())
        assert not [line for line in new if line in told]
        shared = SequenceMatcher(None, answer, told, autojunk=False).find_longest_match()
        assert shared.size < len(answer) * 2 / 3, f"it tells {answer[shared.a : shared.a + shared.size]}"
    assert lines and len(set(blank.hints)) == 3


# ---- its words

NOT_WRITTEN: set[str] = set()  # named as what comes next, and not there; this set may only shrink


def test_the_lessons_that_a_text_sends_to_are_there():
    named = {name for lesson in LESSONS for name in re.findall(r"\*\*(\d\d [a-z]\w+)\*\*", prose_of(lesson))}
    assert named - {f"{lesson.number} {lesson.slug}" for lesson in LESSONS} == NOT_WRITTEN


@each_lesson
def test_every_prediction_is_asked_above_its_reveal_which_the_prose_does_not_forestall(lesson):
    prose = prose_of(lesson)
    for prediction in lesson.predictions:
        question, reveal = asked(prose, prediction.id), revealed(prose, prediction.id)
        assert question < reveal
        number = f"{prediction.answer:,.6g}"
        if len(re.sub(r"\D", "", number)) > 2:
            words = {number, number.replace(",", "")}
            assert not [word for word in words if re.search(rf"(?<![\d.]){re.escape(word)}(?![\d])", prose[:question])]


@each_lesson
def test_marks_questions_and_vetoes(lesson):
    assert lesson.marks == {"ordinary": 2, "boundary": 1, "explanation": 1}
    assert [question.id for question in lesson.questions] == [f"q{n + 1}" for n in range(len(lesson.questions))]
    assert len(lesson.questions) >= 3 and lesson.vetoes
