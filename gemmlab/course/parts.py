"""What a lesson is made of beside its kernels, each with how it is read from the front matter."""

from __future__ import annotations

from dataclasses import dataclass

from gemmlab.course.spec import Block, Shape, as_shape
from gemmlab.errors import UserError

INPUT_KINDS = ("random", "integer", "structured")
MARK_NAMES = ("ordinary", "boundary", "explanation")
TOTAL_MARKS = 10


@dataclass(frozen=True)
class Case:
    """One launch to check: `shape` is (M, N, K), `label` is 'ordinary' or 'ragged'."""

    shape: Shape
    inputs: str
    seed: int
    label: str


def read_cases(block: Block, number: int) -> tuple[Case, ...]:
    """One case a shape; the kinds of input take turns, so that each label meets all of them."""
    cases: list[Case] = []
    for label in ("ordinary", "ragged"):
        shapes = block.items(label)
        if not shapes:
            raise UserError(f"{block.where}.{label} has no shape")
        for i, value in enumerate(shapes):
            shape = as_shape(value, f"{block.where}.{label}[{i}]")
            cases.append(Case(shape, INPUT_KINDS[i % len(INPUT_KINDS)], 1000 * number + len(cases), label))
    return tuple(cases)


@dataclass(frozen=True)
class Prediction:
    """A number to predict before it is shown. `tolerance` is relative to `answer`."""

    id: str
    text: str
    unit: str
    answer: float
    tolerance: float


def read_prediction(block: Block) -> Prediction:
    texts = (block.text("id"), block.text("text"), block.text("unit"))
    return Prediction(*texts, block.number("answer"), block.number("tolerance"))


@dataclass(frozen=True)
class Question:
    """A question answered in words. `id` is 'q1', 'q2', …"""

    id: str
    text: str
    marks: float


def read_question(block: Block) -> Question:
    return Question(block.text("id"), block.text("text"), block.number("marks"))


def read_marks(block: Block, questions: tuple[Question, ...]) -> dict[str, float]:
    """The marks of the code and the explanation; with those of the questions they come to 10."""
    marks = {name: block.number(name) for name in MARK_NAMES}
    total = sum(marks.values()) + sum(question.marks for question in questions)
    if total != TOTAL_MARKS:
        raise UserError(f"{block.where} and the questions come to {total:g} marks instead of {TOTAL_MARKS}")
    return marks


@dataclass(frozen=True)
class Claim:
    """What was said of a kernel when it was published, and what is true instead. It is judged by an experiment of its
    own, in notebook/verbs/clinic/experiments.py; the prediction of the same id asks for the number that it gives."""

    id: str
    patient: str
    text: str
    truth: str


def read_claim(block: Block) -> Claim:
    return Claim(block.text("id"), block.text("patient"), block.text("text"), block.text("truth"))


@dataclass(frozen=True)
class CounterRule:
    """A limit for a kernel that gets the right numbers in the wrong way: `what`, such as 'sectors_per_request', `of` a
    kind of request, such as 'global_load', is `at_most` or `at_least` so much at a shape (M, N, K). `says` is the
    sentence where it is not. gemmlab/check/rules.py has what can be limited.
    """

    what: str
    of: str
    at_most: float | None
    shape: Shape
    says: str
    at_least: float | None = None

    @property
    def limit(self) -> float:
        """The one that is given."""
        limit = self.at_least if self.at_most is None else self.at_most
        assert limit is not None, "read_rule takes care of it"
        return limit

    def allows(self, count: float) -> bool:
        return count <= self.limit if self.at_least is None else count >= self.limit


def read_rule(block: Block) -> CounterRule:
    what, of, shape, says = block.text("what"), block.text("of"), block.shape("shape"), block.text("says")
    if "at_least" in block:
        return CounterRule(what, of, None, shape, says, block.number("at_least"))
    return CounterRule(what, of, block.number("at_most"), shape, says)
