"""A lesson's spec: the front matter of lessons/NN_slug.md, with the kernel's starter, as one Lesson object."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from typing import Any

from gemmlab.course import blanks
from gemmlab.errors import UserError
from gemmlab.kernel.launch import LaunchSpec

INPUT_KINDS = ("random", "integer", "structured")
MARK_NAMES = ("ordinary", "boundary", "explanation")
TOTAL_MARKS = 10
_NAME = re.compile(r"(\d\d)_([a-z][a-z0-9_]*)")
_MAX_ELEMENTS = 1 << 22


@dataclass(frozen=True)
class Case:
    """One launch to check: `shape` is (M, N, K), `label` is 'ordinary' or 'ragged'."""

    shape: tuple[int, int, int]
    inputs: str
    seed: int
    label: str


@dataclass(frozen=True)
class Blank:
    """A blank: the text of its TODO line, three hints (area, direction, key spot), and the answer.

    `answer` is the solution's own body, dedented, or None where solutions/ is not on disk.
    """

    name: str
    todo: str
    hints: tuple[str, str, str]
    answer: str | None


@dataclass(frozen=True)
class Question:
    """A question answered in words. `id` is 'q1', 'q2', …"""

    id: str
    text: str
    marks: float


@dataclass(frozen=True)
class Prediction:
    """A number to predict before it is shown. `tolerance` is relative to `answer`."""

    id: str
    text: str
    unit: str
    answer: float
    tolerance: float


@dataclass(frozen=True)
class Claim:
    """What was said of a kernel when it was published, and what is true instead. It is judged by an experiment of its
    own, in notebook/verbs/clinic/experiments.py; the prediction of the same id asks for the number that it gives."""

    id: str
    patient: str
    text: str
    truth: str


@dataclass(frozen=True)
class CounterRule:
    """A limit for a kernel that is right but moves too much: `what`, such as 'sectors_per_request', `of` a kind of
    request, such as 'global_load', is `at_most` so much at a shape (M, N, K). `says` is the sentence where it is
    more.
    """

    what: str
    of: str
    at_most: float
    shape: tuple[int, int, int]
    says: str


@dataclass(frozen=True)
class Kernel:
    """One kernel that the student writes. `name` is '02_tiled_fma', or '14_claims_clinic/float4_tile' of a patient.

    `starter` is the pristine file: with blanks, or, of a patient, as it was published. `solution` is the solved or
    mended one, without markers, or None where solutions/ is not on disk, as in the bundle that students get. `cases`
    are the public ones. A patient's only blank stands for the whole file and has the patient's name.
    """

    root: Path
    name: str
    launch: LaunchSpec
    tile: int
    cases: tuple[Case, ...]
    blanks: tuple[Blank, ...]
    starter: str
    solution: str | None
    rules: tuple[CounterRule, ...] = ()

    @property
    def path(self) -> Path:
        """The file that the student writes."""
        return work_root(self.root) / "kernels" / f"{self.name}.cu"

    @property
    def patient(self) -> str | None:
        """The name within the lesson, of a patient."""
        return self.name.partition("/")[2] or None

    def is_untouched(self, text: str) -> bool:
        """Whether the text is the starter, perhaps with an old wording around its blanks: nobody's work."""
        return blanks.is_untouched(text) or blanks.normalize(text).strip() == self.starter.strip()


@dataclass(frozen=True)
class Lesson:
    """One lesson. Most have one kernel, and the attributes of that kernel are theirs as well."""

    root: Path
    number: str
    slug: str
    title: str
    kernels: tuple[Kernel, ...]
    predictions: tuple[Prediction, ...]
    questions: tuple[Question, ...]
    marks: dict[str, float]
    vetoes: tuple[str, ...]
    claims: tuple[Claim, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.number}_{self.slug}"

    @property
    def kernel(self) -> Kernel:
        """The only kernel. Raises UserError where there are several, or none."""
        if len(self.kernels) == 1:
            return self.kernels[0]
        if not self.kernels:
            raise UserError(f"lesson {self.number} has no kernel to write")
        known = ", ".join(f"{self.number}/{kernel.patient}" for kernel in self.kernels)
        raise UserError(f"lesson {self.number} has several kernels; name one of them: {known}")

    def kernel_named(self, patient: str | None) -> Kernel:
        """The kernel of that patient; None asks for the only kernel. Raises UserError where there is no such kernel."""
        if patient is None:
            return self.kernel
        found = [kernel for kernel in self.kernels if kernel.patient == patient]
        if not found:
            known = ", ".join(kernel.patient for kernel in self.kernels if kernel.patient)
            raise UserError(f"lesson {self.number} has no patient '{patient}'; it has {known or 'none'}")
        return found[0]

    @property
    def launch(self) -> LaunchSpec:
        return self.kernel.launch

    @property
    def tile(self) -> int:
        return self.kernel.tile

    @property
    def cases(self) -> tuple[Case, ...]:
        return self.kernel.cases

    @property
    def starter(self) -> str:
        return self.kernel.starter

    @property
    def solution(self) -> str | None:
        return self.kernel.solution

    @property
    def kernel_path(self) -> Path:
        """The file that the student writes."""
        return self.kernel.path

    @property
    def blanks(self) -> tuple[Blank, ...]:
        """The blanks of all its kernels."""
        return tuple(blank for kernel in self.kernels for blank in kernel.blanks)


def find_root() -> Path:
    """The course directory, which holds lessons/ and kernels/: $GEMMLAB_ROOT, or the working directory or one above it,
    or where an editable install points. Raises UserError where there is none."""
    chosen = os.environ.get("GEMMLAB_ROOT")
    if chosen:
        if not _is_root(Path(chosen)):
            raise UserError(f"GEMMLAB_ROOT is {chosen}, which has no lessons/ and kernels/ in it")
        return Path(chosen).resolve()
    here = Path.cwd()
    for directory in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if _is_root(directory):
            return directory
    raise UserError("there is no course here: change to the directory with lessons/ and kernels/, or set GEMMLAB_ROOT")


def _is_root(directory: Path) -> bool:
    return (directory / "lessons").is_dir() and (directory / "kernels").is_dir()


def work_root(root: Path) -> Path:
    """Where a student's kernels/ and progress live: the course directory, unless `work_in` chose another."""
    return Path(os.environ.get("GEMMLAB_WORK") or root)


def work_in(directory: str | Path) -> None:
    """Keep this process's kernels and progress in the directory. Solved notebooks do, to leave the student's alone."""
    work = Path(directory).resolve()
    (work / "kernels").mkdir(parents=True, exist_ok=True)
    os.environ["GEMMLAB_WORK"] = str(work)


def starter_path(root: Path, name: str) -> Path:
    """Where a bundle without solutions/ keeps the pristine starter; hidden, because students write to kernels/."""
    return root / "lessons" / ".starters" / f"{name}.cu"


def is_name(text: str) -> bool:
    """Whether the text has the form of a lesson's name, such as '02_tiled_fma'."""
    return _NAME.fullmatch(text) is not None


def names(root: Path | None = None) -> list[str]:
    """The names of the lessons, such as '02_tiled_fma', in order. Raises UserError where two have one number."""
    lessons = (root or find_root()) / "lessons"
    found = sorted(path.stem for path in lessons.glob("*.md") if is_name(path.stem))
    for one, other in zip(found, found[1:]):
        if one[:2] == other[:2]:
            raise UserError(f"lessons {one} and {other} have the same number")
    return found


def load(which: str, root: Path | None = None) -> Lesson:
    """The lesson called '02_tiled_fma', '02', '2' or 'tiled_fma'; '14/float4_tile' is lesson 14 with that patient only.

    Raises UserError for an unknown name or bad spec.
    """
    root = root or find_root()
    known = names(root)
    which, _, patient = which.partition("/")
    number = which.zfill(2) if which.isdecimal() else None
    matches = [name for name in known if which in (name, name[3:]) or name[:2] == number]
    if not matches:
        raise UserError(f"there is no lesson '{which}'; there are: {', '.join(known) or 'none'}")
    lesson = _load(root, matches[0])
    return replace(lesson, kernels=(lesson.kernel_named(patient),)) if patient else lesson


def load_all(root: Path | None = None) -> list[Lesson]:
    """All lessons, in order."""
    root = root or find_root()
    return [_load(root, name) for name in names(root)]


def _load(root: Path, name: str) -> Lesson:
    path = root / "lessons" / f"{name}.md"
    try:
        spec = _Spec(_front_matter(blanks.read_source(path)), "gemmlab")
        lesson = _from_spec(spec, root, name)
        spec.finish()
        return lesson
    except UserError as error:
        raise UserError(f"{path.parent.name}/{path.name}: {error}") from None


def _front_matter(text: str) -> Any:
    import yaml

    parts = re.split(r"^---[ \t]*$", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise UserError("the file does not start with front matter between two lines of ---")
    try:
        data = yaml.safe_load(parts[1])
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "not readable"
        raise UserError(f"the front matter is not YAML{where}: {problem}") from None
    if not isinstance(data, dict) or "gemmlab" not in data:
        raise UserError("the front matter has no gemmlab: block")
    return data["gemmlab"]


def _from_spec(spec: _Spec, root: Path, name: str) -> Lesson:
    number, slug = _NAME.fullmatch(name).groups()
    has_patients = "patients" in spec.data
    questions = tuple(_question(entry) for entry in spec.entries("questions"))
    return Lesson(
        root=root,
        number=number,
        slug=slug,
        title=spec.text("title"),
        kernels=_patients(spec.block("patients"), root, name) if has_patients else (_kernel(spec, root, name),),
        predictions=tuple(_prediction(entry) for entry in spec.entries("predictions")),
        questions=questions,
        marks=_marks(spec.block("marks"), questions),
        vetoes=tuple(_text(value, "vetoes") for value in spec.items("vetoes")),
        claims=tuple(_claim(entry) for entry in spec.entries("claims")) if has_patients else (),
    )


def _kernel(spec: _Spec, root: Path, name: str) -> Kernel:
    """The kernel of an ordinary lesson, with blanks."""
    starter, solution, answers = _with_blanks(root, name)
    return Kernel(
        root=root,
        name=name,
        launch=_launch(spec.block("launch")),
        tile=_positive_int(spec.take("tile"), "tile"),
        cases=_cases(spec.block("cases"), int(name[:2])),
        blanks=_blanks(spec.block("blanks"), starter, answers),
        starter=starter,
        solution=solution,
        rules=tuple(_rule(entry) for entry in spec.entries("counters")) if "counters" in spec.data else (),
    )


def _patients(spec: _Spec, root: Path, name: str) -> tuple[Kernel, ...]:
    """Kernels handed out as they were published, wrong, to be mended; each has a block of its own."""
    if not spec.data:
        raise UserError(f"{spec.where} names no patient")
    return tuple(_patient(spec.block(patient), root, f"{name}/{patient}") for patient in list(spec.data))


def _patient(spec: _Spec, root: Path, name: str) -> Kernel:
    published, mended = _published(root, name)
    patient = name.partition("/")[2]
    answer = blanks.changes(published, mended) if mended else None
    return Kernel(
        root=root,
        name=name,
        launch=_launch(spec.block("launch")),
        tile=_positive_int(spec.take("tile"), "tile"),
        cases=_cases(spec.block("cases"), int(name[:2])),
        blanks=(Blank(patient, f"mend {patient}", _hints(spec), answer),),
        starter=published,
        solution=mended,
    )


def _published(root: Path, name: str) -> tuple[str, str | None]:
    """The kernel as published and mended, from solutions/; in a bundle only as published, from the kept starter."""
    path = root / "solutions" / f"{name}.cu"
    if not path.is_file():
        return blanks.read_source(starter_path(root, name)), None
    text = blanks.read_source(path)
    try:
        return blanks.as_published(text), blanks.as_mended(text)
    except UserError as error:
        raise UserError(f"solutions/{name}.cu, {error}") from None


def _with_blanks(root: Path, name: str) -> tuple[str, str | None, dict[str, str]]:
    """The starter, the solved kernel and the answers by blank, from solutions/ or, in a bundle, the kept starter."""
    path = root / "solutions" / f"{name}.cu"
    if not path.is_file():
        return blanks.read_source(starter_path(root, name)), None, {}
    text = blanks.read_source(path)
    try:
        answers = {blank.name: dedent(blank.body).strip() for blank in blanks.find_blanks(text)}
        return blanks.strip_solution(text), blanks.without_markers(text), answers
    except UserError as error:
        raise UserError(f"solutions/{path.name}, {error}") from None


class _Spec:
    """A block of the front matter: each key is taken once, and `finish` rejects the keys that nobody took."""

    def __init__(self, data: Any, where: str) -> None:
        if not isinstance(data, dict):
            raise UserError(f"{where} must hold keys and values")
        self.data, self.where, self.inner = dict(data), where, []

    def take(self, key: str) -> Any:
        if key not in self.data:
            raise UserError(f"{self.where} lacks the key '{key}'")
        return self.data.pop(key)

    def text(self, key: str) -> str:
        return _text(self.take(key), f"{self.where}.{key}")

    def number(self, key: str) -> float:
        return _number(self.take(key), f"{self.where}.{key}")

    def block(self, key: str) -> _Spec:
        self.inner.append(_Spec(self.take(key), f"{self.where}.{key}"))
        return self.inner[-1]

    def items(self, key: str) -> list:
        value = self.take(key)
        if not isinstance(value, list):
            raise UserError(f"{self.where}.{key} must be a list")
        return value

    def entries(self, key: str) -> list[_Spec]:
        entries = [_Spec(value, f"{self.where}.{key}[{i}]") for i, value in enumerate(self.items(key))]
        self.inner += entries
        return entries

    def finish(self) -> None:
        if self.data:
            raise UserError(f"{self.where} has the unknown key '{next(iter(self.data))}'")
        for spec in self.inner:
            spec.finish()


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where} must be text")
    return value.strip()


def _number(value: Any, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise UserError(f"{where} must be a number that is not negative, not {value!r}")
    return value


def _positive_int(value: Any, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value <= 0:
        raise UserError(f"{where} must be a whole number above 0, not {value!r}")
    return value


def _launch(spec: _Spec) -> LaunchSpec:
    """`block`, `grid` and, if there is any, `smem`, each written as on the command line."""
    smem = str(spec.take("smem")) if "smem" in spec.data else "0"
    launch = LaunchSpec.parse(str(spec.take("block")), str(spec.take("grid")), smem)
    launch.at(64, 64, 64)
    return launch


def _cases(spec: _Spec, number: int) -> tuple[Case, ...]:
    """One case a shape; the kinds of input take turns, so that each label meets all of them."""
    cases = []
    for label in ("ordinary", "ragged"):
        shapes = spec.items(label)
        if not shapes:
            raise UserError(f"{spec.where}.{label} has no shape")
        for i, value in enumerate(shapes):
            shape = _shape(value, f"{spec.where}.{label}[{i}]")
            cases.append(Case(shape, INPUT_KINDS[i % len(INPUT_KINDS)], 1000 * number + len(cases), label))
    return tuple(cases)


def _shape(value: Any, where: str) -> tuple[int, int, int]:
    if not isinstance(value, list) or len(value) != 3:
        raise UserError(f"{where} must be a shape [M, N, K]")
    M, N, K = (_positive_int(size, where) for size in value)
    if max(M * N, M * K, K * N) > _MAX_ELEMENTS:
        raise UserError(f"{where} has a matrix of more than {_MAX_ELEMENTS} elements, too much for a check")
    return M, N, K


def _blanks(spec: _Spec, starter: str, answers: dict[str, str]) -> tuple[Blank, ...]:
    slots = blanks.find_slots(starter)
    marked, named = sorted(slot.name for slot in slots), sorted(spec.data)
    if marked != named:
        raise UserError(f"{spec.where} has {', '.join(named) or 'none'}, the kernel has {', '.join(marked) or 'none'}")
    return tuple(Blank(slot.name, slot.todo, _hints(spec.block(slot.name)), answers.get(slot.name)) for slot in slots)


def _hints(spec: _Spec) -> tuple[str, str, str]:
    hints = tuple(_text(hint, f"{spec.where}.hints") for hint in spec.items("hints"))
    if len(hints) != 3:
        raise UserError(f"{spec.where}.hints has {len(hints)} hints instead of 3: area, direction, key spot")
    return hints


def _prediction(spec: _Spec) -> Prediction:
    texts = (spec.text("id"), spec.text("text"), spec.text("unit"))
    return Prediction(*texts, spec.number("answer"), spec.number("tolerance"))


def _claim(spec: _Spec) -> Claim:
    return Claim(spec.text("id"), spec.text("patient"), spec.text("text"), spec.text("truth"))


def _rule(spec: _Spec) -> CounterRule:
    shape = _shape(spec.take("shape"), f"{spec.where}.shape")
    return CounterRule(spec.text("what"), spec.text("of"), spec.number("at_most"), shape, spec.text("says"))


def _question(spec: _Spec) -> Question:
    return Question(spec.text("id"), spec.text("text"), spec.number("marks"))


def _marks(spec: _Spec, questions: tuple[Question, ...]) -> dict[str, float]:
    """The marks of the code; with those of the questions they come to 10."""
    marks = {name: spec.number(name) for name in MARK_NAMES}
    total = sum(marks.values()) + sum(question.marks for question in questions)
    if total != TOTAL_MARKS:
        raise UserError(f"{spec.where} and the questions come to {total:g} marks instead of {TOTAL_MARKS}")
    return marks
