"""The results files that `gemmlab record` wrote, one a named GPU."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

Shape = tuple[int, int, int]
FOLDER = Path(__file__).parents[1] / "recorded"
PUBLISHED = FOLDER / "published" / "ladders.json"
# Products with a long sum, or with few rows, as language models have them: recorded for kernels that split K.
SPLIT_SHAPES: tuple[Shape, ...] = ((256, 256, 8192), (1, 11008, 4096), (8, 11008, 4096), (16, 11008, 4096))


@dataclass(frozen=True)
class Kernel:
    """A kernel at one shape. `lesson` is None beyond the ladder; `as_taught` says whether it has the lesson's sizes."""

    name: str
    lesson: str | None
    as_taught: bool
    gflops: float
    ratio: float  # to cuBLAS
    spread: tuple[float, float]
    warm_ratio: float


@dataclass(frozen=True)
class AtShape:
    """All kernels at one shape with inputs of one kind, and cuBLAS beside them."""

    shape: Shape
    cublas_gflops: float
    kernels: tuple[Kernel, ...]
    dtype: str = "float32"

    def named(self, name: str) -> Kernel:
        return next(kernel for kernel in self.kernels if kernel.name == name)

    def as_taught(self, lesson: str) -> Kernel:
        """The kernel of one of its lessons, as it is."""
        return next(kernel for kernel in self.kernels if kernel.lesson == lesson and kernel.as_taught)

    def best_of(self, lesson: str) -> Kernel:
        """The kernel of one of its lessons, with the best of its recorded sizes."""
        return max((one for one in self.kernels if one.lesson == lesson), key=lambda one: one.gflops)

    @property
    def lessons(self) -> list[str]:
        return list(dict.fromkeys(kernel.lesson for kernel in self.kernels if kernel.lesson))

    @property
    def best(self) -> Kernel:
        return max(self.kernels, key=lambda kernel: kernel.gflops)


@dataclass(frozen=True)
class Fused:
    """A fused kernel at one shape, beside cuBLAS and the kernels of CuPy's that do the rest: microseconds and bytes of
    both, and how many times as long the separate kernels take."""

    shape: Shape
    fused_us: float
    separate_us: float
    ratio: float
    fused_bytes: int
    separate_bytes: int
    commit: str = ""  # where it is another than that of the file


@dataclass(frozen=True)
class Results:
    """One results file: the machine's description, the ceilings by name, and the shapes: those of the ladder's float32
    kernels, `splits`, those of the kernels that split K, `others`, those of the kernels on tensor cores, and `fused`,
    those of kernels that do more than a product."""

    machine: dict
    ceilings: dict[str, float]
    shapes: tuple[AtShape, ...]
    splits: tuple[AtShape, ...] = ()
    others: tuple[AtShape, ...] = ()
    fused: tuple[Fused, ...] = ()

    @property
    def label(self) -> str:
        """What it was recorded on, when, and with which commit."""
        return self.label_of("")

    def label_of(self, commit: str) -> str:
        """The label of what was recorded with that commit, "" for the one of the file."""
        return label_of(self.machine, commit or str(self.machine.get("commit")))

    def at(self, shape: Shape, dtype: str = "float32") -> AtShape | None:
        every = (*self.shapes, *self.splits, *self.others)
        return next((one for one in every if (one.shape, one.dtype) == (shape, dtype)), None)


def label_of(machine: dict, commit: str = "") -> str:
    """What was recorded on that machine, and when; with which commit, where one is known."""
    where = f"recorded on {machine.get('gpu')}, driver {machine.get('driver')}, {machine.get('date')}"
    return f"{where}, commit {commit[:10]}" if commit else where


def all_results(folder: Path = FOLDER) -> list[Results]:
    """Of every recorded GPU, in the order of the files' names. Other records lie in the same folder: they have no
    ceilings."""
    found = (json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json")))
    return [_results(data) for data in found if "ceilings" in data]


def first_results(folder: Path = FOLDER) -> Results | None:
    return next(iter(all_results(folder)), None)


def _results(data: dict) -> Results:
    shapes = data.get("shapes", ())
    every = tuple(_at_shape(one) for one in shapes if "against" not in one)
    others = tuple(one for one in every if one.dtype != "float32")
    splits = tuple(one for one in every if one not in others and one.shape in SPLIT_SHAPES)
    ladder = tuple(one for one in every if one not in (*others, *splits))
    fused = tuple(_fused(one) for one in shapes if "against" in one)
    return Results(data.get("machine", {}), data["ceilings"], ladder, splits, others, fused)


def _fused(data: dict) -> Fused:
    (kernel,) = data["kernels"]
    return Fused(
        (data["M"], data["N"], data["K"]),
        kernel["microseconds"],
        data["microseconds"],
        kernel["ratio_to_cublas"],
        kernel["bytes"],
        data["bytes"],
        data.get("commit", ""),
    )


def _at_shape(data: dict) -> AtShape:
    shape, kernels = (data["M"], data["N"], data["K"]), tuple(map(_kernel, data["kernels"]))
    return AtShape(shape, data["cublas_gflops"], kernels, data.get("dtype", "float32"))


def _kernel(data: dict) -> Kernel:
    ratio = data["ratio_to_cublas"]
    return Kernel(
        data["name"],
        data["lesson"],
        data.get("as_taught", True),
        data["gflops"],
        ratio,
        tuple(data.get("spread", (ratio, ratio))),
        data.get("warm_ratio", ratio),
    )


@dataclass(frozen=True)
class Published:
    """A ladder that others published, at one shape. `unit` is 'percent of cuBLAS' or 'GFLOPS'.

    `link` is where the source is to be found, '' where nobody wrote it down.
    """

    source: str
    measured: str
    unit: str
    steps: Sequence[str]
    values: Sequence[float]
    shape: Shape
    note: str = ""
    link: str = ""


def published(path: Path = PUBLISHED) -> list[Published]:
    """Figures to stand beside ours, quoted."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return [
        Published(
            ladder["source"],
            ladder["measured"],
            ladder["unit"],
            ladder["steps"],
            entry["values"],
            (entry["M"], entry["N"], entry["K"]),
            entry.get("note", ""),
            ladder.get("link", ""),
        )
        for ladder in data["ladders"]
        for entry in ladder["shapes"]
    ]
