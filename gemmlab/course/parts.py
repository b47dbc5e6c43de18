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
    """A limit for a kernel that is right but moves too much: `what`, such as 'sectors_per_request', `of` a kind of
    request, such as 'global_load', is `at_most` so much at a shape (M, N, K). `says` is the sentence where it is
    more.
    """

    what: str
    of: str
    at_most: float
    shape: Shape
    says: str


def read_rule(block: Block) -> CounterRule:
    what, of, says = block.text("what"), block.text("of"), block.text("says")
    return CounterRule(what, of, block.number("at_most"), block.shape("shape"), says)


@dataclass(frozen=True)
class OtherSizes:
    """Tile sizes other than the lesson's at which its solution is recorded, because a GPU is faster there.

    `block` and `grid` are written in the names that the kernel defines; each choice gives some of these other numbers.
    """

    block: str
    grid: str
    choices: tuple[dict[str, int], ...]


def read_other_sizes(block: Block) -> OtherSizes:
    choices = block.blocks("sizes")
    return OtherSizes(
        block.text("block"),
        block.text("grid"),
        tuple({name: one.positive_int(name) for name in one.keys} for one in choices),
    )
