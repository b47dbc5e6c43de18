"""The marks of one student for one lesson.

The code: the marks for ordinary shapes where all ordinary hidden cases are right, those for boundary shapes where all
boundary cases are; nothing in between, because a kernel that is wrong at one edge is wrong there. Where a lesson hands
out several kernels to be mended, its patients, either is shared evenly among them.

The explanation and the questions are marked by hand (hand_marks.py). Predictions give no marks.

Vetoes fail the lesson whatever the marks are: a race; a boundary check or barrier of the given code that was taken out;
code that may not be compiled; what the instructor writes. A broken limit on memory traffic is one where the lesson's
own list of vetoes names memory traffic; it always costs the marks for ordinary shapes. Patients are handed out with
their faults: one that is still ill costs its marks, and no more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gemmlab.course import predictions
from gemmlab.course.lesson import Lesson, Prediction
from gemmlab.errors import UserError
from gemmlab.kernel.kinds import KINDS
from grading.marking import hand_marks, rubric
from grading.marking import sentences as say
from grading.marking.hand_marks import HandMarks
from grading.model import Attempt, CaseMark, Graded, HandItem, KernelMark, Predicted, Submission

_MOST_NOTE = 600


def read_hand_marks(out: Path) -> HandMarks:
    """The marks by hand in the folder of an earlier run. Raises UserError where its file cannot be read at all."""
    return hand_marks.read(out)


def grade(submission: Submission, lesson: Lesson, attempts: Sequence[Attempt], hand: HandMarks) -> Graded:
    """The marks from all that is known. `attempts` has one for each kernel of the lesson, none where none was read."""
    kernels = tuple(_kernel(attempt, lesson) for attempt in attempts)
    items = tuple(_items(submission, lesson, hand))
    by_hand = hand.veto_of(submission.student, lesson.name)
    veto = "; ".join(dict.fromkeys([*_vetoes(attempts, lesson), *filter(None, [by_hand.comment])]))
    problems = [say.OF_ITEM(item=item.id, problem=item.problem) for item in items if item.problem] + [by_hand.problem]
    return Graded(
        submission.student,
        lesson.name,
        _status(submission, kernels, veto),
        code=_share(lesson.marks["ordinary"], [kernel.code > 0 for kernel in kernels]),
        boundary=_share(lesson.marks["boundary"], [kernel.boundary > 0 for kernel in kernels]),
        hand=_sum(item.marks for item in items),
        veto=veto,
        note=_note(submission, attempts, problems),
        cases=tuple(case for kernel in kernels for case in kernel.cases),
        changes="\n".join(kernel.changes for kernel in kernels if kernel.changes),
        blanks=_bodies(attempts),
        answers=dict(submission.answers),
        seconds=sum(attempt.judged.seconds for attempt in attempts if attempt.judged),
        title=lesson.title,
        marks=dict(lesson.marks),
        kernels=kernels,
        hand_items=items,
        remarks=tuple(filter(None, [submission.note, *(attempt.spliced.note for attempt in attempts)])),
        predictions=tuple(_predicted(one, submission, lesson) for one in lesson.predictions),
    )


def _kernel(attempt: Attempt, lesson: Lesson) -> KernelMark:
    judged, share = attempt.judged, 1 / len(lesson.kernels)
    if judged is None:
        return KernelMark(attempt.kernel.name, "unattempted", note=_left_open(attempt), changes=attempt.spliced.changes)
    return KernelMark(
        attempt.kernel.name,
        judged.status,
        code=share * lesson.marks["ordinary"] * _all_right(judged.cases, "ordinary"),
        boundary=share * lesson.marks["boundary"] * _all_right(judged.cases, "boundary"),
        note=judged.note,
        source=attempt.spliced.source,
        changes=attempt.spliced.changes,
        cases=judged.cases,
        warnings=judged.warnings,
        holds=judged.holds,
    )


def _all_right(cases: Iterable[CaseMark], group: str) -> bool:
    """Whether there are cases of that group, and none is wrong."""
    found = [case.ok for case in cases if case.group == group]
    return bool(found) and all(found)


def _left_open(attempt: Attempt) -> str:
    names = ", ".join(attempt.spliced.open_blanks)
    if not attempt.spliced.source:
        return say.NOTHING_FOR_KERNEL()
    return say.AS_GIVEN() if attempt.kernel.patient or attempt.kernel.whole else say.OPEN_BLANKS(names=names)


def _share(marks: float, right: Sequence[bool]) -> float:
    """So much of the marks as kernels are right; all of them give exactly all of it."""
    return marks * sum(right) / len(right) if right else 0.0


def _sum(marks: Iterable[float | None]) -> float | None:
    given = [one for one in marks if one is not None]
    return sum(given) if given else None


def _items(submission: Submission, lesson: Lesson, hand: HandMarks) -> Iterator[HandItem]:
    for name, (possible, question) in rubric.asked(lesson).items():
        given = hand.of(submission.student, lesson.name, name, possible)
        answer = submission.answers.get(name, "")
        yield HandItem(name, possible, question, answer, given.marks, given.comment, given.problem)


def _status(submission: Submission, kernels: Sequence[KernelMark], veto: str) -> str:
    """Of the code. Several kernels have one status only where all have the same."""
    if submission.source is None:
        return "unreadable" if submission.origin else "unattempted"
    found = {kernel.status for kernel in kernels}
    status = found.pop() if len(found) == 1 else "failed"
    return "failed" if veto and status == "passed" else status


def _vetoes(attempts: Sequence[Attempt], lesson: Lesson) -> Iterator[str]:
    for attempt in attempts:
        yield from (_of_kernel(attempt, reason) for reason in attempt.spliced.vetoes)
        if attempt.judged and not attempt.kernel.patient:
            yield from _found(attempt.judged.cases, lesson)


def _found(cases: Sequence[CaseMark], lesson: Lesson) -> Iterator[str]:
    found = {case.finding for case in cases if not case.ok}
    yield from (kind.veto for name, kind in KINDS.items() if name in found and kind.vetoes(lesson.vetoes))


def _note(submission: Submission, attempts: Sequence[Attempt], problems: Iterable[str]) -> str:
    """What the instructor should know, on one line."""
    told = [submission.note]
    for attempt in attempts:
        judged = (attempt.judged.note, *attempt.judged.warnings, *attempt.judged.asides) if attempt.judged else ()
        told += [_of_kernel(attempt, text) for text in (attempt.spliced.note, *judged) if text]
    left = [name for attempt in attempts for name in attempt.spliced.open_blanks]
    if left:
        are_open = say.NOTE_NOT_MENDED if attempts[0].kernel.patient else say.NOTE_OPEN_BLANKS
        told.append(are_open(names=", ".join(left)))
    told += [say.OF_HAND_MARKS(problem=problem) for problem in problems if problem]
    line = "; ".join(" ".join(text.split()) for text in told if text)
    return line if len(line) <= _MOST_NOTE else f"{line[:_MOST_NOTE]}…"


def _of_kernel(attempt: Attempt, text: str) -> str:
    """The text, with the kernel's name where the lesson has several."""
    patient = attempt.kernel.patient
    return say.OF_KERNEL(kernel=patient, text=text) if patient else text


def _bodies(attempts: Sequence[Attempt]) -> dict[str, str]:
    """What the student wrote, by blank or by patient; open blanks are not there."""
    return {
        name: body
        for attempt in attempts
        for name, body in attempt.spliced.bodies.items()
        if name not in attempt.spliced.open_blanks
    }


def _predicted(prediction: Prediction, submission: Submission, lesson: Lesson) -> Predicted:
    value = submission.predictions.get(prediction.id)
    return Predicted(prediction.text, prediction.unit, prediction.answer, value, _remark(prediction, value, lesson))


def _remark(prediction: Prediction, value: float | None, lesson: Lesson) -> str:
    if value is None:
        return ""
    try:
        tile = max(kernel.tile for kernel in lesson.kernels)
        return predictions.remark(prediction, predictions.as_number(value), tile)
    except UserError:
        return say.NO_PREDICTION()
