"""The kernels that the model of time is measured against: each with a name, a group and how it is launched.

- ladder: the solutions of lessons 00 to 10 and 13, with the lesson's sizes and with the others that are recorded;
- landscape: lesson 09's kernel with all sizes of the recorded landscapes;
- fast: the float32 kernels of solutions/fast;
- published: tests/kernels_model, kernels of the kinds that people publish, written for this;
- unseen: its folders unseen_*, kernels of other kinds;
- resized: solutions with sizes that no record had;
- tensor: kernels on tensor cores, the course's and those of the folder tensor_seen;
- fresh: its folders fresh_*, written when faults that unseen and resized had shown were being mended;
- handed in: its folders handed_in_*, as strangers would hand them in, written while the model learned from the others;
- new sizes: solutions with sizes that neither a record nor resized had;
- tensor fresh: those of the folder tensor_fresh.

The last three are blind: their times were taken, and predicted once, after the model's last change. Before that,
unseen and resized were blind, and then fresh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gemmlab.trials.candidate import Candidate

Shape = tuple[int, int, int]
ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "kernels_model"
TUNED = "09"  # the lesson of the search
BLIND = ("handed in", "new sizes")
# Groups, by what the names of their folders begin with.
TENSOR = {"tensor_seen": "tensor", "tensor_fresh": "tensor fresh"}
_GROUPS = {"unseen": "unseen", "fresh": "fresh", "handed_in": "handed in", **TENSOR}
TENSOR_BLIND = ("tensor fresh",)
SHAPES: tuple[Shape, ...] = (
    (1024, 1024, 1024),
    (4096, 4096, 4096),
    (512, 512, 512),
    (2048, 2048, 2048),
    (1024, 1024, 512),
    (256, 256, 8192),
    (1001, 777, 513),
    (16, 11008, 4096),
    (128, 4096, 4096),
    (512, 512, 4096),
)
# Lessons with other numbers in their #define lines. How they are launched says their front matter, or TILE does.
RESIZED: tuple[tuple[str, dict[str, int]], ...] = (
    ("01", {"TILE": 16}),
    ("02", {"TILE": 8}),
    ("05", {"BK": 8, "TM": 8}),
    ("05", {"BM": 128, "BN": 32}),
    ("06", {"BM": 32, "BN": 32, "TM": 4, "TN": 2}),
    ("06", {"BM": 128, "BK": 32, "TM": 8, "TN": 8}),
    ("07", {"BM": 64, "BN": 128, "TM": 4}),
    ("08", {"BN": 64, "BK": 16, "TN": 4}),
    ("09", {"BN": 64, "BK": 16}),
    ("09", {"BN": 64, "BK": 16, "TN": 4}),
    ("10", {"BK": 8, "SHORTEST": 128}),
)
NEW_SIZES: tuple[tuple[str, dict[str, int]], ...] = (
    ("01", {"TILE": 8}),
    ("02", {"TILE": 24}),
    ("05", {"BM": 32, "BN": 64, "BK": 16, "TM": 4}),
    ("06", {"BM": 64, "BN": 128, "TM": 8, "TN": 4}),
    ("06", {"BM": 32, "BN": 64, "BK": 16, "TM": 4, "TN": 4}),
    ("07", {"BN": 64, "TN": 4}),
    ("08", {"BM": 64, "BN": 128, "BK": 8, "TM": 4, "TN": 8}),
    ("09", {"BM": 64, "BK": 8, "TM": 4}),
    ("10", {"BM": 128, "SHORTEST": 512}),
)
_TOLD = re.compile(r"^// (\w+): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class ModelKernel:
    """A kernel under the name that the records use. It takes M, N and K that are multiples of `multiples`."""

    name: str
    group: str
    candidate: Candidate
    multiples: Shape = (1, 1, 1)

    @property
    def half(self) -> str:
        """'blind' where nobody saw a prediction before the model was done, else 'seen'; 'tensor' before it where the
        kernel multiplies on tensor cores, so that those of float32 stay comparable."""
        if self.group in TENSOR.values():
            return "tensor blind" if self.group in TENSOR_BLIND else "tensor seen"
        return "blind" if self.group in BLIND else "seen"

    def takes(self, shape: Shape) -> bool:
        return not any(size % multiple for size, multiple in zip(shape, self.multiples))


def model_kernels() -> list[ModelKernel]:
    """All of them."""
    return [
        *(*_ladder(), *_landscape(), *_fast(), *published()),
        *(*resized(), *resized(NEW_SIZES, "new sizes"), *_tensor()),
    ]


def published(folder: Path = FOLDER) -> Iterator[ModelKernel]:
    """Those of tests/kernels_model; the lines `// block:`, `// grid:`, `// smem:` or `// launcher:` say how each is
    launched, `// multiples: M,N,K` which sizes it takes."""
    from gemmlab.kernel.elements import element_named
    from gemmlab.kernel.layout import COURSE
    from gemmlab.launcher.spec import LauncherSpec
    from gemmlab.trials.numbers import variant

    for path in sorted(folder.glob("*/*.cu")):
        source = path.read_text(encoding="utf-8")
        told = dict(_TOLD.findall(source))
        if "launcher" in told:
            candidate = Candidate(source, path.stem, LauncherSpec(told["launcher"]).of(source))
        else:
            layout = replace(COURSE, element=element_named(told.get("element", "float32")))
            candidate = variant(path.stem, source, told["block"], told["grid"], told.get("smem", "0"), layout=layout)
        M, N, K = map(int, told.get("multiples", "1,1,1").split(","))
        groups = (group for start, group in _GROUPS.items() if path.parent.name.startswith(start))
        yield ModelKernel(path.stem, next(groups, "published"), candidate, (M, N, K))


def resized(sizes_of: Sequence[tuple[str, dict[str, int]]] = RESIZED, group: str = "resized") -> Iterator[ModelKernel]:
    """Solutions with other sizes than those that are recorded."""
    from gemmlab.course.lesson import load
    from gemmlab.launcher.spec import LauncherSpec
    from gemmlab.trials.numbers import variant

    for number, sizes in sizes_of:
        lesson = load(number)
        other = lesson.recorded
        block, grid = (other.block, other.grid) if other else ("TILE,TILE", "cdiv(N, TILE),cdiv(M, TILE)")
        candidate = variant(lesson.name, lesson.solution, block, grid, numbers=sizes)
        if isinstance(lesson.kernel.launched_by, LauncherSpec):
            candidate = replace(candidate, launch=lesson.kernel.launches_of(candidate.text))
        yield ModelKernel(candidate.filename, group, candidate)


def _ladder() -> Iterator[ModelKernel]:
    from gemmlab.records.record import entries

    for entry in entries(ROOT):
        if entry.lesson and entry.dtype == "float32":
            yield ModelKernel(entry.candidate.filename, "ladder", entry.candidate)


def _landscape() -> Iterator[ModelKernel]:
    from gemmlab.course.lesson import load
    from gemmlab.cuda.sizes import Sizes, with_sizes
    from gemmlab.models.autotune import launch_spec
    from gemmlab.records.landscapes import recorded_landscapes

    solution = load(TUNED).solution
    entries = (entry for one in recorded_landscapes() for search in one["searches"] for entry in search["entries"])
    recorded = {Sizes(*entry["sizes"]) for entry in entries}
    for sizes in sorted(recorded, key=lambda one: (one.BM, one.BN, one.BK, one.TM, one.TN)):
        name = f"09 BM={sizes.BM} BN={sizes.BN} BK={sizes.BK} TM={sizes.TM} TN={sizes.TN}"
        yield ModelKernel(name, "landscape", Candidate(with_sizes(solution, sizes), name, launch_spec(sizes)))


def _fast() -> Iterator[ModelKernel]:
    from gemmlab.records.record import entries

    for entry in entries(ROOT):
        if entry.lesson is None and entry.dtype == "float32":
            yield ModelKernel(entry.candidate.filename, "fast", entry.candidate)


def _tensor() -> Iterator[ModelKernel]:
    """The course's kernels on tensor cores."""
    from gemmlab.records.record import entries

    for entry in entries(ROOT):
        if entry.dtype != "float32":
            yield ModelKernel(entry.candidate.filename, "tensor", entry.candidate)
