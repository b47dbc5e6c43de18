"""What passes between the steps of grading. Each step takes one of these and gives the next; none of them judges
itself.

intake -> Submission -> splice -> Spliced -> (child process) -> RawResult -> judge -> Graded -> reports
"""

from __future__ import annotations

from dataclasses import dataclass, field


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
class RawResult:
    """What the child process brought back for one case; nothing in it is believed.

    `C` are raw bytes of M×N float32 and `written` of M×N bool, None where the launch did not end. `findings` are those
    of the emulator, as JSON. `problem` says what happened to the process ('timeout', 'memory', 'crash', 'output', ''),
    with `detail` for the audit log.
    """

    C: bytes | None = None
    written: bytes | None = None
    findings: tuple[dict, ...] = ()
    problem: str = ""
    detail: str = ""
    seconds: float = 0.0


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
class Graded:
    """One student's marks for one lesson, as they go into the reports.

    `status` is one of passed, failed, compile_error, unattempted, timeout, unreadable. `code` are the marks for
    ordinary shapes, `boundary` those for boundary shapes, `hand` those given by hand (explanation and questions);
    `total` is their sum, `veto` names what fails the lesson whatever the marks are. `key` is a digest of everything the
    result depends on: where it is unchanged, nothing is graded again.
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

    @property
    def total(self) -> float:
        return self.code + self.boundary + (self.hand or 0.0)
