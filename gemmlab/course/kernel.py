"""A kernel that the student writes: what the front matter says of it, with its starter and its solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent

from gemmlab.course import blanks
from gemmlab.course.parts import Case, CounterRule, read_cases, read_rule
from gemmlab.course.patients import as_mended, as_published, changes
from gemmlab.course.places import solution_path, starter_path, work_root
from gemmlab.course.spec import Block
from gemmlab.errors import UserError
from gemmlab.files import normalize, read_source
from gemmlab.kernel.arguments import AskedLaunch, on_devices, on_other_devices
from gemmlab.kernel.elements import FLOAT32, Element, element_named
from gemmlab.kernel.launch import LaunchSpec
from gemmlab.kernel.layout import COURSE, Devices
from gemmlab.kernel.plan import Launches, OnDevices
from gemmlab.launcher.spec import LauncherSpec


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
class Kernel:
    """One kernel that the student writes. `name` is '02_tiled_fma', or '14_claims_clinic/float4_tile' of a patient.

    `starter` is the pristine file: with blanks, or, of a patient, as it was published. `solved` is the solved or
    mended one, without markers, or None where solutions/ is not on disk, as in the bundle that students get. `cases`
    are the public ones. `launched_by` is how it is launched: by block and grid, or, of a file with several kernels, by
    its own host function. A patient's only blank stands for the whole file and has the patient's name.
    `whole` says that all of the file is the student's: the starter is one way to begin, and nothing in it is given.
    """

    root: Path
    name: str
    launched_by: LaunchSpec | LauncherSpec | OnDevices
    tile: int
    cases: tuple[Case, ...]
    blanks: tuple[Blank, ...]
    starter: str
    solved: str | None
    rules: tuple[CounterRule, ...] = ()
    whole: bool = False

    @property
    def path(self) -> Path:
        """The file that the student writes."""
        return work_root(self.root) / "kernels" / f"{self.name}.cu"

    @property
    def launch(self) -> LaunchSpec:
        """The launch of its only kernel. Raises UserError where the file brings its own launcher."""
        if isinstance(self.launched_by, LauncherSpec):
            raise UserError(
                f"{self.name}.cu has several kernels and a launcher of its own; this looks at a single kernel"
            )
        if isinstance(self.launched_by, OnDevices):
            raise UserError(f"{self.name}.cu is for several devices; this looks at a kernel of one")
        return self.launched_by

    @property
    def devices(self) -> Devices | None:
        """How it is shared out to several devices; None where it is for one."""
        launch = self.launched_by
        return launch.devices if isinstance(launch, LauncherSpec | OnDevices) else None

    def on(self, world: int) -> Kernel:
        """The same kernel on another number of devices. Raises UserError where it is for one."""
        launch = self.launched_by
        if self.devices is None or not isinstance(launch, LauncherSpec | OnDevices):
            raise UserError(f"{self.name}.cu is a kernel for one device; leave --devices out")
        devices = replace(self.devices, world=world)
        rules = tuple(rule.on(self.devices, world) for rule in self.rules)
        if isinstance(launch, LauncherSpec):
            return replace(self, rules=rules, launched_by=replace(launch, devices=devices))
        first = launch.parts[0]
        assert isinstance(first, AskedLaunch), "a lesson says what its kernel is given"
        return replace(self, rules=rules, launched_by=on_other_devices(first, devices))

    @property
    def element(self) -> Element:
        """What A and B hold."""
        launch = self.launched_by
        return launch.element if isinstance(launch, LauncherSpec) else launch.layout.element

    def launches_of(self, source: str) -> Launches:
        """What is launched of this source, at any shape. LauncherError where its own launcher is not there."""
        return self.launched_by.of(source) if isinstance(self.launched_by, LauncherSpec) else self.launched_by

    @property
    def pristine_launches(self) -> Launches:
        """What is launched of the kernel as it is handed out, or of the solved one where that has open blanks."""
        return self.launches_of(self.solution if self.blanks and not self.patient else self.starter)

    @property
    def solution(self) -> str:
        """The solved kernel, for those who have solutions/. Raises UserError where it is not on disk."""
        if self.solved is None:
            raise UserError(f"solutions/{self.name}.cu is not on disk")
        return self.solved

    @property
    def patient(self) -> str | None:
        """The name within the lesson, of a patient."""
        return self.name.partition("/")[2] or None

    def is_untouched(self, text: str) -> bool:
        """Whether the text is the starter, perhaps with an old wording around its blanks: nobody's work."""
        return blanks.is_untouched(text) or normalize(text).strip() == self.starter.strip()


def read_kernel(block: Block, root: Path, name: str) -> Kernel:
    """The kernel of an ordinary lesson, with blanks, or one whose whole file is the student's."""
    whole = "whole_file" in block and block.take("whole_file") is True
    starter, solution, answers = _whole_file(root, name) if whole else _with_blanks(root, name)
    return Kernel(
        root=root,
        name=name,
        launched_by=_launch(block.block("launch")),
        tile=block.positive_int("tile"),
        cases=read_cases(block.block("cases"), int(name[:2])),
        blanks=_blanks(block.block("blanks"), starter, answers),
        starter=starter,
        solved=solution,
        rules=_rules(block),
        whole=whole,
    )


def read_patients(block: Block, root: Path, name: str) -> tuple[Kernel, ...]:
    """Kernels handed out as they were published, wrong, to be mended; each has a block of its own."""
    if not block.keys:
        raise UserError(f"{block.where} names no patient")
    return tuple(_patient(block.block(patient), root, f"{name}/{patient}") for patient in block.keys)


def _patient(block: Block, root: Path, name: str) -> Kernel:
    published, mended = _published(root, name)
    patient = name.partition("/")[2]
    answer = changes(published, mended) if mended else None
    return Kernel(
        root=root,
        name=name,
        launched_by=_launch(block.block("launch")),
        tile=block.positive_int("tile"),
        cases=read_cases(block.block("cases"), int(name[:2])),
        blanks=(Blank(patient, f"mend {patient}", _hints(block), answer),),
        starter=published,
        solved=mended,
        rules=_rules(block),
    )


def _published(root: Path, name: str) -> tuple[str, str | None]:
    """The kernel as published and mended, from solutions/; in a bundle only as published, from the kept starter."""
    path = solution_path(root, name)
    if not path.is_file():
        return read_source(starter_path(root, name)), None
    text = read_source(path)
    try:
        return as_published(text), as_mended(text)
    except UserError as error:
        raise UserError(f"solutions/{name}.cu, {error}") from None


def _whole_file(root: Path, name: str) -> tuple[str, str | None, dict[str, str]]:
    """The starter and the solved file of a lesson without blanks, in which the one is not a part of the other."""
    path = solution_path(root, name)
    if not path.is_file():
        return read_source(starter_path(root, name)), None, {}
    return read_source(solution_path(root, f"{name}.starter")), read_source(path), {}


def _with_blanks(root: Path, name: str) -> tuple[str, str | None, dict[str, str]]:
    """The starter, the solved kernel and the answers by blank, from solutions/ or, in a bundle, the kept starter."""
    path = solution_path(root, name)
    if not path.is_file():
        return read_source(starter_path(root, name)), None, {}
    text = read_source(path)
    try:
        answers = {blank.name: dedent(blank.body).strip() for blank in blanks.find_blanks(text)}
        return blanks.strip_solution(text), blanks.without_markers(text), answers
    except UserError as error:
        raise UserError(f"solutions/{path.name}, {error}") from None


def _devices(block: Block) -> Devices:
    """How the devices share out the product: `split` by rows where it is left out, in multiples of `unit`."""
    return Devices(
        block.positive_int("devices"),
        block.text("split") if "split" in block else "rows",
        block.positive_int("unit") if "unit" in block else 1,
        str(block.take("flags")) if "flags" in block else "0",
    )


def _launch(block: Block) -> LaunchSpec | LauncherSpec | OnDevices:
    """`block`, `grid` and, if there are any, `smem`, `args` and `activation`, each written as on the command line; or
    `launcher`, the name of the file's own host function. `dtype` is what A and B hold, float32 where it is left out.
    With `devices` it is for so many, which share out the product by `split`, `unit` and `flags`."""
    element = element_named(block.text("dtype")) if "dtype" in block else FLOAT32
    devices = _devices(block) if "devices" in block else None
    if "launcher" in block:
        return LauncherSpec(block.text("launcher"), element, devices, block.text("args") if devices else "")
    smem = str(block.take("smem")) if "smem" in block else "0"
    layout = replace(COURSE, element=element)
    launch = LaunchSpec.parse(str(block.take("block")), str(block.take("grid")), smem, layout=layout)
    if devices:
        together = on_devices(launch, block.text("args"), devices)
        together.at(64, 64, 64)
        return together
    launch.at(64, 64, 64)
    if "args" not in block:
        return launch
    activation = block.text("activation") if "activation" in block else "none"
    return AskedLaunch.of(launch, block.text("args"), activation)


def _rules(block: Block) -> tuple[CounterRule, ...]:
    return tuple(read_rule(entry) for entry in block.blocks("counters", optional=True))


def _blanks(block: Block, starter: str, answers: dict[str, str]) -> tuple[Blank, ...]:
    slots = blanks.find_slots(starter)
    marked, named = sorted(slot.name for slot in slots), sorted(block.keys)
    if marked != named:
        raise UserError(f"{block.where} has {', '.join(named) or 'none'}, the kernel has {', '.join(marked) or 'none'}")
    return tuple(Blank(slot.name, slot.todo, _hints(block.block(slot.name)), answers.get(slot.name)) for slot in slots)


def _hints(block: Block) -> tuple[str, str, str]:
    hints = block.texts("hints")
    if len(hints) != 3:
        raise UserError(f"{block.where}.hints has {len(hints)} hints instead of 3: area, direction, key spot")
    return hints[0], hints[1], hints[2]
