"""Every number in what a lesson says, and where it comes from.

`tests/lessons/numbers/NN_slug.txt` has the pieces of a lesson's text that hold numbers, a line each:

    4 warps, {threads} threads          a piece with expressions in place of its numbers, as in an f-string
    free: M, N, K = 35, 45, 25          numbers that nothing says: an example's shape, a thread that was picked
    # …                                 a remark

A piece covers its numbers wherever the text has it, across ends of lines. `names_of` has what an expression may name.
The text is all that people read: prose, hints, predictions, questions, rubrics, claims, and the model answers. Code is
left out, whether in a cell or between backquotes: it is run, or checked by tests of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
from ladder_numbers import h200, ladder_names, split_names
from lesson_text import prose_of

from gemmlab.course.lesson import Lesson, load
from gemmlab.course.parts import TOTAL_MARKS
from gemmlab.kernel import limits
from gemmlab.kernel.launch import cdiv
from gemmlab.kernel.plan import launches_of
from gemmlab.kernel.terms import STEEPEST_SILU, silu
from gemmlab.kernel.warp import BANKS, SECTOR_BYTES, WARP, sector_range
from gemmlab.models import board
from gemmlab.models.banks import BankRequest
from gemmlab.models.ceilings import ceilings_of
from gemmlab.models.networks import devices, fusion
from gemmlab.models.simulator import FLOAT_BYTES, traffic_naive, traffic_tiled
from gemmlab.notebook.verbs.clinic.experiments import examine
from gemmlab.records.links import recorded_links
from grading.model import TO_PASS

COMMON = "common.txt"  # the pieces that many lessons have
FREE = "free:"
# Numbers that are names, or that say nothing a count could contradict.
PLAIN = (
    r"[Ll]essons? \d\d(?:(?:, | to | and )\d\d)*",  # lesson 05, lessons 02 to 06
    r"\*\*\d\d [a-z]\w+",  # **05 register_1d**
    r"^#+ \d\d\b",  # a title
    r"(?<![\d.,^·×/])[01](?![\d.,]*\d|[·×/])",  # nothing, one; the first index; a wrong filling
    r"\b[01]\.0f\b",  # a literal of C
    r"\b0\.5(?= (?:for|where|without|if|each))|(?<=\()0\.5(?=\))",  # half a mark
    r"(?<=\n)\d+\. ",  # the number of an entry
    r"\]\([^)]*\)",  # the address of a link
)
_NUMBER = re.compile(r"(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_CODE = re.compile(r"^```.*?^```|`[^`\n]*(?:\n[^`\n]+)?`|<!--.*?-->", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Piece:
    """A line of a lesson's table: as written, and as the text has it."""

    line: str
    text: str

    @property
    def pattern(self) -> re.Pattern:
        """Where the text has it, as words and numbers of its own."""
        words = r"\s+".join(map(re.escape, self.text.split()))
        before = r"(?<![\w.])" if self.text[0].isdigit() else ""
        after = r"(?![.,]?\d)" if self.text[-1].isdigit() else ""
        return re.compile(before + words + after)


def loose_numbers(lesson: Lesson, table: Path) -> list[str]:
    """The numbers that no piece of the table covers, each in the words around it."""
    text = text_of(lesson)
    patterns = [piece.pattern for piece in [*pieces(lesson, table), *common_pieces(lesson, table.with_name(COMMON))]]
    covered = _spans(text, [re.compile(plain, re.MULTILINE) for plain in PLAIN] + patterns)
    return [_around(text, found) for found in _NUMBER.finditer(text) if not covered(*found.span())]


def unused_pieces(lesson: Lesson, table: Path) -> list[Piece]:
    """The pieces that the text does not have: the words changed, or the numbers did."""
    text = text_of(lesson)
    return [piece for piece in pieces(lesson, table) if not piece.pattern.search(text)]


def pieces(lesson: Lesson, table: Path) -> Iterator[Piece]:
    """The table's lines. ValueError where one without an expression is not called free."""
    names = names_of(lesson)
    return (_piece(line, names, table) for line in _lines(table))


def common_pieces(lesson: Lesson, table: Path) -> Iterator[Piece]:
    """Those lines of the common table that this lesson can have: it has a rule, or a prediction, of that name."""
    names = names_of(lesson)
    for line in _lines(table):
        with suppress(KeyError, NameError):
            yield _piece(line, names, table)


def _lines(table: Path) -> list[str]:
    lines = map(str.strip, table.read_text(encoding="utf-8").split("\n"))
    return [line for line in lines if line and not line.startswith("#")]


def _piece(line: str, names: dict[str, object], table: Path) -> Piece:
    if line.startswith(FREE):
        return Piece(line, line.removeprefix(FREE).strip())
    if "{" not in line:
        raise ValueError(f"{table.name}: {line!r} has no {{expression}}; begin it with '{FREE}' if nothing says it")
    return Piece(line, eval(f"f{line!r}", names))  # the tests' own text


def text_of(lesson: Lesson) -> str:
    """All that people read of a lesson, without code."""
    answers = lesson.root / "grading" / "answers" / f"{lesson.name}.md"
    said = "\n\n".join([prose_of(lesson), *_front_matter(lesson), answers.read_text(encoding="utf-8")])
    return _CODE.sub(lambda code: re.sub(r"\S", "_", code[0]), said)


def _front_matter(lesson: Lesson) -> Iterator[str]:
    for kernel in lesson.kernels:
        yield from (hint for blank in kernel.blanks for hint in blank.hints)
        yield from (rule.says for rule in kernel.rules)
    for prediction in lesson.predictions:
        yield from (prediction.text, prediction.follows, *(wrong.says for wrong in prediction.misconceptions))
    for question in lesson.questions:
        yield from (question.text, *question.rubric)
    for claim in lesson.claims:
        yield from (claim.text, claim.truth)
    yield from lesson.vetoes


def _spans(text: str, patterns: Iterable[re.Pattern]) -> Callable[[int, int], bool]:
    """Whether a place lies in what one of the patterns finds."""
    found = [match.span() for pattern in patterns for match in pattern.finditer(text)]
    return lambda start, end: any(first <= start and end <= last for first, last in found)


def _around(text: str, number: re.Match) -> str:
    words = text[max(0, number.start() - 60) : number.start()], text[number.end() : number.end() + 60]
    return " ".join(f"…{words[0]}[{number[0]}]{words[1]}…".split())


# ---- what an expression may name


def names_of(lesson: Lesson) -> dict[str, object]:
    """The predictions by their ids, the tile T, the block and its threads, the machine, models, the record."""
    kernel = lesson.kernels[0]
    shape = kernel.cases[0].shape
    block = launches_of(kernel.pristine_launches.at(*shape))[0].block
    return {
        **{prediction.id: prediction.answer for prediction in lesson.predictions},
        **{question.id: question.marks for question in lesson.questions},
        **lesson.marks,
        **_MACHINE,
        **_MODELS,
        **_recorded(),
        **ladder_names(lesson),
        **split_names(lesson),
        "T": kernel.tile,
        "block": block,
        "threads": prod(block),
        "warp": lambda tx, ty: (ty * block[0] + tx) // WARP,
        "rules": {rule.of: rule.limit for rule in kernel.rules},
        "evidence": lambda claim, number: _in_evidence(lesson.root, lesson.number, claim, number),
    }


def _sectors(elements: Iterable[int]) -> int:
    """How many sectors the floats with these numbers lie in."""
    return len({sector_range(FLOAT_BYTES * element, FLOAT_BYTES)[0] for element in elements})


@cache
def _in_evidence(root: Path, lesson: str, claim: str, number: str) -> str:
    """The number, as the experiment on a claim shows it. LookupError where it shows no such number."""
    if not re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d)", examine(claim, load(lesson, root)).text):
        raise LookupError(f"the evidence on {claim} does not show {number}")
    return number


def _intensity_of_sectors(a: int, b: int, c: int, K: int = 128) -> float:
    """FLOP for each byte of the sectors that a warp of the naive kernel asks for: a and b of them a turn, c at the end.

    The page counts at 128×128×128.
    """
    return 2 * WARP * K / ((a + b) * K + c) / SECTOR_BYTES


_MACHINE = {
    "WARP": WARP,
    "BANKS": BANKS,
    "FLOAT": FLOAT_BYTES,
    "SECTOR": SECTOR_BYTES,
    "FLOP": 2,  # a multiply-add
    "MAX_THREADS": limits.MAX_THREADS,
    "REGISTERS": limits.REGISTERS,
    "REGISTERS_PER_THREAD": limits.REGISTERS_PER_THREAD,
    "TO_PASS": TO_PASS,
    "TOTAL": TOTAL_MARKS,
    "SM_THREADS": limits.limits_for("sm_90").threads_per_sm,
}
_MODELS = {
    "fusion": fusion,
    "on_devices": devices,
    "link": recorded_links()[0].figures,
    "on_two": {one.shape: one for one in recorded_links()[0].products},
    "on_gpus": recorded_links()[0].tried,
    "stores": recorded_links()[0].rates(),
    "nccl": recorded_links()[0].rates("nccl_all_gather_gbs"),
    "silu": lambda x: float(silu(np.float64(x))),
    "STEEPEST_SILU": STEEPEST_SILU,
    "exp_overflows": int(np.log(np.finfo(np.float32).max)),
    "cdiv": cdiv,
    "naive": traffic_naive,
    "tiled": lambda T, M, N, K: traffic_tiled(M, N, K, T),
    "sectors": _sectors,
    "intensity_of_sectors": _intensity_of_sectors,
    "wavefronts": lambda words, width=1: BankRequest(tuple(words), width).wavefronts,
    "occupancy": limits.occupancy,
}


@cache
def _recorded() -> dict[str, object]:
    """What the H200 of the record measured: its peak, its memory, and the ridge of that."""
    ceilings = ceilings_of(h200().ceilings, "recorded")
    return {
        "peak": ceilings.gflops,
        "copy": ceilings.gbs,
        "l2": h200().ceilings["l2_gbs"],
        "ridge_of_memory": ceilings.ridge,
        "allowed": lambda level, intensity: ceilings.attainable(intensity, level),
        "bound": lambda *shape: board.bound(shape, ceilings),
        "flop_share": lambda *shape: prod(shape) / sum(map(prod, board.SHAPES)),
        "BOARD": board.SHAPES,
    }
