"""What was measured between GPUs of one host: the link's figures, and whole products on two of them.

`gemmlab/recorded/links/` has a file a GPU. `tools/record_two_gpus.py` fills its `products`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gemmlab.models.networks.devices import Rates
from gemmlab.records.results import label_of

RECORDED = Path(__file__).parents[1] / "recorded" / "links"
Shape = tuple[int, int, int]


@dataclass(frozen=True)
class OnDevices:
    """One product on `devices` GPUs, in milliseconds: lesson 15's kernel on one of them, on all of them without the
    exchange (alone) and with it (fused), the same two of solutions/fast/two_gpus.cu, and cuBLAS followed by NCCL's
    all-gather."""

    shape: Shape
    devices: int
    one_ms: float
    alone_ms: float
    fused_ms: float
    fast_alone_ms: float
    fast_ms: float
    cublas_nccl_ms: float | None

    @property
    def speedup(self) -> float:
        """How many times as fast as one GPU."""
        return self.one_ms / self.fused_ms

    @property
    def kept(self) -> float:
        """The time without the exchange in parts of the time with it."""
        return self.alone_ms / self.fused_ms

    @property
    def fast_kept(self) -> float:
        """The same of the faster kernel."""
        return self.fast_alone_ms / self.fast_ms


@dataclass(frozen=True)
class LinkRecord:
    """One GPU's file. `figures` are rates in GB/s and TFLOP/s by name, `source` says where they come from.
    `tried` says of one shared GPU, and of two, which wrong kernels gave right numbers there, and which were found."""

    gpu: str
    devices: int
    link: str
    source: str
    figures: Mapping[str, float]
    products: tuple[OnDevices, ...] = ()
    machine: Mapping[str, object] = field(default_factory=dict)
    tried: tuple[Mapping[str, Any], ...] = ()

    @property
    def label(self) -> str:
        """Of the products."""
        return label_of(dict(self.machine), str(self.machine.get("commit", "")))

    def rates(self, link: str = "peer_store_gbs") -> Rates:
        """A device's products by cuBLAS, and the link as one of the figures has it."""
        return Rates(self.figures["cublas_one_tflops"], self.figures[link])


def recorded_links(folder: Path = RECORDED) -> list[LinkRecord]:
    """All files, in the order of their names."""
    return [_record(json.loads(path.read_text(encoding="utf-8"))) for path in sorted(folder.glob("*.json"))]


def _record(data: dict) -> LinkRecord:
    machine = data["machine"]
    gpu, devices, link = (machine[name] for name in ("gpu", "devices", "link"))
    products = tuple(OnDevices(**{**one, "shape": tuple(one["shape"])}) for one in data["products"])
    return LinkRecord(
        gpu, devices, link, data["source"], data["figures"], products, machine, tuple(data.get("tried", ()))
    )


NOT_RECORDED = (
    "Whole products on two GPUs are not recorded yet: `python tools/record_two_gpus.py` measures them, on two GPUs of "
    "one host."
)
_HEAD = (
    "| M×N×K | one GPU | two, nothing exchanged | two | as fast as one | of the time without exchange | "
    "`fast/two_gpus` | cuBLAS, then NCCL |\n|:--|--:|--:|--:|--:|--:|--:|--:|"
)


def products_table(records: list[LinkRecord]) -> str:
    """The products of every file, in Markdown; NOT_RECORDED where there is none."""
    tables = ("\n".join([_HEAD, *map(_row, one.products), "", f"{_said(one)}."]) for one in records if one.products)
    return "\n\n".join(tables) or NOT_RECORDED


def _said(record: LinkRecord) -> str:
    return f"{record.label[:1].upper()}{record.label[1:]}; {record.devices} of them, {record.link}"


def _row(one: OnDevices) -> str:
    times = (one.one_ms, one.alone_ms, one.fused_ms), (one.fast_ms, one.cublas_nccl_ms)
    ours, others = (" | ".join("" if ms is None else f"{ms:.3f} ms" for ms in some) for some in times)
    return f"| {'×'.join(map(str, one.shape))} | {ours} | {one.speedup:.2f} × | {100 * one.kept:.1f} % | {others} |"


def figures_table(record: LinkRecord) -> str:
    """The link's figures, in Markdown, with where they come from."""
    rows = [f"| {said} | {record.figures[name]:g} {unit} |" for name, (said, unit) in _FIGURES.items()]
    return "\n".join([f"Two {record.gpu}, {record.link}: {record.source}.\n", "| what | rate |\n|:--|--:|", *rows])


_FIGURES = {
    "peer_copy_gbs": ("a copy to the peer", "GB/s"),
    "peer_store_gbs": ("a kernel's stores of 16 bytes into the peer's memory", "GB/s"),
    "nccl_all_gather_gbs": ("NCCL's all-gather, called through CuPy", "GB/s"),
    "cublas_one_tflops": ("cuBLAS SGEMM on one", "TFLOP/s"),
    "cublas_two_tflops": ("on both, when nothing is exchanged", "TFLOP/s"),
}
