"""What passes between the steps of grading. Each step takes one of these and gives the next; none of them judges
itself.

intake -> Submission -> splice -> Spliced -> Job -> (child process) -> Execution -> judge -> Judged -> Attempt
-> score -> Graded -> reports
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from gemmlab.course.lesson import Kernel

TO_PASS = 8  # marks, of 10
_ROUNDING = 1e-9  # shares of marks, such as 2/7, do not add up exactly


@dataclass(frozen=True)
class Submission:
    """One student's work for one lesson, as it was handed in.

    `source` is the text of the `%%writefile` cell (without its first line) or of the `.cu` file, None where none could
    be read; `note` then says why, in a sentence for the instructor. `answers` are the texts of the answer cells by
    question, `predictions` what the student predicted. `origin` is the path inside of the folder of submissions.
    `patients` are the kernels of a lesson that has several, by their names; `source` is then all of them in one text.
    """

    student: str
    lesson: str
    source: str | None
    answers: dict[str, str] = field(default_factory=dict)
    predictions: dict[str, float] = field(default_factory=dict)
    note: str = ""
    origin: str = ""
    patients: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Spliced:
    """The pristine template with the student's bodies in its blanks: this is what is compiled and run.

    `changes` is a unified diff of what else the student changed, empty if nothing; `vetoes` are the changes that fail
    the lesson, such as a boundary check that was taken out. `open_blanks` are blanks still `______`. `note` is a
    sentence for the instructor, where there is more to say.
    """

    source: str
    bodies: dict[str, str] = field(default_factory=dict)
    changes: str = ""
    vetoes: tuple[str, ...] = ()
    open_blanks: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class HiddenCase:
    """One case that students never see. `kind` is what feedback may say of it ('K smaller than the tile').

    `group` is 'ordinary' or 'boundary': which mark it counts for. `shape` is (M, N, K).
    """

    kind: str
    group: str
    shape: tuple[int, int, int]
    inputs: str
    seed: int


@dataclass(frozen=True)
class Job:
    """A kernel of a lesson as one student wrote it, and the hidden cases. `arch` is None where no GPU takes part."""

    kernel: Kernel
    source: str
    cases: tuple[HiddenCase, ...]
    arch: str | None = None


@dataclass(frozen=True)
class RawResult:
    """What the child process brought back for one case; nothing in it is believed.

    `C` are raw bytes of M×N float32 and `written` of M×N bool, None where the launch did not end. `findings` are those
    of the emulator, as JSON. `problem` says what happened to the process ('timeout', 'memory', 'crash', 'output', ''),
    with `detail` for the audit log. `plan` is what the file's own launcher does, as JSON, for a GPU. `second` is the
    result of a second launch in the same module, `again` that of the second look; None where there was none.
    """

    C: bytes | None = None
    written: bytes | None = None
    findings: tuple[dict, ...] = ()
    problem: str = ""
    detail: str = ""
    seconds: float = 0.0
    second: RawResult | None = None
    again: RawResult | None = None
    plan: object = None


@dataclass(frozen=True)
class Execution:
    """What came back for a job; nothing in it is believed.

    `errors` are the compiler's, with message and line. `problem` is '' or what ended the child while it compiled:
    timeout, memory, crash or output. `cases` has one result a hidden case, and one a case of the kernel's `own`;
    `rules` are the numbers of the lesson's rules that are broken, and `holds` is said of how far it goes that no race
    was found.
    """

    errors: tuple[dict, ...] = ()
    problem: str = ""
    detail: str = ""
    cases: tuple[RawResult, ...] = ()
    gpu_cases: tuple[RawResult, ...] | None = None
    rules: tuple[int, ...] = ()
    holds: dict = field(default_factory=dict)
    seconds: float = 0.0
    own: tuple[HiddenCase, ...] = ()

    def tried(self, job: Job) -> tuple[HiddenCase, ...]:
        """The cases that there are results of."""
        return (*job.cases, *self.own)

    @property
    def backends(self) -> list[tuple[RawResult, ...]]:
        """The results of the emulator and, where a GPU took part, of that."""
        return [self.cases, *([self.gpu_cases] if self.gpu_cases is not None else [])]


@dataclass(frozen=True)
class CaseMark:
    """One hidden case as judged by the parent. `message` may be shown to the student: no shape, no data."""

    kind: str
    group: str
    ok: bool
    message: str = ""
    finding: str = ""
    max_error: float | None = None
    wrong: str = ""  # the wrong elements as a small picture: an SVG made by us, never the student's text


@dataclass(frozen=True)
class Judged:
    """One kernel as judged over its hidden cases. `status` is passed, failed, compile_error or timeout.

    `cases` has one mark a hidden case, and one for each rule of the lesson that is broken. `note` may be shown to the
    student, and so may `warnings`, of what cost no marks, and `holds`, how far it goes that no race was found. For the
    instructor are `asides`, which go into the notes, and `log`: it tells of shapes and data.
    """

    status: str
    cases: tuple[CaseMark, ...] = ()
    note: str = ""
    log: tuple[str, ...] = ()
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    holds: str = ""
    asides: tuple[str, ...] = ()

    def to_json(self) -> dict:
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict) -> Judged:
        cases = tuple(CaseMark(**case) for case in data["cases"])
        texts = {name: tuple(data[name]) for name in ("log", "warnings", "asides")}
        return cls(**{**data, "cases": cases, **texts})


@dataclass(frozen=True)
class Attempt:
    """One kernel of a submission. `key` names the result of executing it, '' where there is nothing to execute: blanks
    are open, or nothing was handed in. `judged` is None until it was."""

    kernel: Kernel
    spliced: Spliced
    key: str = ""
    judged: Judged | None = None


@dataclass(frozen=True)
class KernelMark:
    """One kernel of a submission with its marks. `name` is '04_ragged_edges', or '14_claims_clinic/odd_tail' of a
    patient.

    `status` is one of passed, failed, compile_error, timeout, unattempted. `source` is what was compiled, whose lines
    the messages name. `note` may be shown to the student, and so may `holds`, how far it goes that no race was found.
    """

    name: str
    status: str
    code: float = 0.0
    boundary: float = 0.0
    note: str = ""
    source: str = ""
    changes: str = ""
    cases: tuple[CaseMark, ...] = ()
    warnings: tuple[str, ...] = ()
    holds: str = ""


@dataclass(frozen=True)
class HandItem:
    """What is marked by hand: the explanation, or a question. `marks` of `possible` are None until they are given.

    `problem` is why what the instructor wrote could not be used, a sentence for the instructor.
    """

    id: str
    possible: float
    question: str = ""
    answer: str = ""
    marks: float | None = None
    comment: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Predicted:
    """A prediction beside the answer; `value` is None where none was made. It gives no marks."""

    text: str
    unit: str
    answer: float
    value: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class Graded:
    """One student's marks for one lesson, as they go into the reports.

    `status` is that of the code: passed, failed, compile_error, unattempted, timeout, or unreadable. `code` are the
    marks for ordinary shapes, `boundary` those for boundary shapes, `hand` those given by hand (explanation and
    questions), None while there are none; `total` is their sum. `veto` names what fails the lesson whatever the marks
    are. `key` is a digest of everything the result depends on: where it is unchanged, nothing is executed again.

    `note` is for the instructor, `remarks` are for the student as well. `kernels` are the kernels one by one, and
    `cases` those of all of them; `hand_items` is what is marked by hand. `marks` says how many marks there are for
    ordinary and boundary shapes and for the explanation.
    """

    student: str
    lesson: str
    status: str
    code: float = 0.0
    boundary: float = 0.0
    hand: float | None = None
    veto: str = ""
    note: str = ""
    cases: tuple[CaseMark, ...] = ()
    changes: str = ""
    blanks: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    key: str = ""
    title: str = ""
    marks: dict[str, float] = field(default_factory=dict)
    kernels: tuple[KernelMark, ...] = ()
    hand_items: tuple[HandItem, ...] = ()
    remarks: tuple[str, ...] = ()
    predictions: tuple[Predicted, ...] = ()

    @property
    def total(self) -> float:
        return self.code + self.boundary + (self.hand or 0.0)

    @property
    def unmarked(self) -> tuple[HandItem, ...]:
        """What has no marks by hand yet."""
        return tuple(item for item in self.hand_items if item.marks is None)

    @property
    def result(self) -> str:
        """Of the lesson: 'passed', 'failed', or 'open' where marks by hand can still decide it."""
        if self.veto or self.total + sum(item.possible for item in self.unmarked) < TO_PASS - _ROUNDING:
            return "failed"
        return "passed" if self.total >= TO_PASS - _ROUNDING else "open"
