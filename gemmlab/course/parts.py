"""What a lesson is made of beside its kernels, each with how it is read from the front matter."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gemmlab.course.spec import Block, Shape, as_shape
from gemmlab.errors import UserError
from gemmlab.kernel.layout import SPLITS, Devices

ANSWER_PLACEHOLDER = "*Your answer:*"  # what an answer cell holds before anything is written
INPUT_KINDS = ("random", "integer", "structured")
MARK_NAMES = ("ordinary", "boundary", "explanation")
TOTAL_MARKS = 10
_COUNTED = 0.01  # a smaller tolerance says that the answer is counted and not measured


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
class Misconception:
    """A wrong answer that many give, and what it shows: `says` is said to those who gave it, after the reveal."""

    answer: float
    says: str


def read_misconception(block: Block) -> Misconception:
    return Misconception(block.number("answer"), block.text("says"))


@dataclass(frozen=True)
class Prediction:
    """A number to predict before it is shown. `tolerance` is relative to `answer`; `follows` is what the number means,
    and is said with it."""

    id: str
    text: str
    unit: str
    answer: float
    tolerance: float
    misconceptions: tuple[Misconception, ...] = ()
    follows: str = ""

    @property
    def is_count(self) -> bool:
        """Whether it is a whole number, of which only the number itself is right."""
        return self.tolerance < _COUNTED and float(self.answer).is_integer()


def read_prediction(block: Block) -> Prediction:
    texts = (block.text("id"), block.text("text"), block.text("unit"))
    answer, tolerance = block.number("answer"), block.number("tolerance")
    wrong = tuple(read_misconception(entry) for entry in block.blocks("misconceptions", optional=True))
    follows = block.text("follows") if "follows" in block else ""
    return Prediction(*texts, answer, tolerance, wrong, follows)


@dataclass(frozen=True)
class Question:
    """A question answered in words. `id` is 'q1', 'q2', …; `rubric` is what the answer is marked by, point by point, as
    the student may read it once an answer is written."""

    id: str
    text: str
    marks: float
    rubric: tuple[str, ...] = ()


def read_question(block: Block) -> Question:
    rubric = block.texts("rubric") if "rubric" in block else ()
    return Question(block.text("id"), block.text("text"), block.number("marks"), rubric)


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

    def on(self, devices: Devices, world: int) -> CounterRule:
        """The same limit on another number of devices: each has a part of the same size. What goes to each peer goes
        to as many more as there are; and a thread reads a table of the devices, so that there is room for it."""
        sizes, letter = dict(zip("MNK", self.shape)), SPLITS[devices.split]
        if letter:
            sizes[letter] = sizes[letter] * world // devices.world
        more = max(world / devices.world, 1)
        if self.of.startswith("peer_"):
            more = (world - 1) / max(devices.world - 1, 1)
        limit = None if self.at_most is None else self.at_most * more
        return replace(self, shape=(sizes["M"], sizes["N"], sizes["K"]), at_most=limit)


def read_rule(block: Block) -> CounterRule:
    what, of, shape, says = block.text("what"), block.text("of"), block.shape("shape"), block.text("says")
    if "at_least" in block:
        return CounterRule(what, of, None, shape, says, block.number("at_least"))
    return CounterRule(what, of, block.number("at_most"), shape, says)


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
