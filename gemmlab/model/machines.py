"""What a GPU is to the model: its numbers, as `gemmlab record --constants` measured them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gemmlab.errors import UserError

RECORDED = Path(__file__).parents[1] / "recorded"
MACHINES = RECORDED / "machines"
DEFAULT = "NVIDIA-H200"


@dataclass(frozen=True)
class Machine:
    """A named GPU. Latencies are in cycles of its SM clock, rates in bytes a cycle, times of launches in microseconds;
    `constants` has all that was measured, under the names of gemmlab/gpu/constants.py."""

    gpu: str
    arch: str
    constants: dict[str, float]

    def __getitem__(self, name: str) -> float:
        return self.constants[name]

    @property
    def sms(self) -> int:
        return int(self["sms"])

    @property
    def cycles_a_us(self) -> float:
        return self["sm_clock_mhz"]


def known() -> tuple[str, ...]:
    """The GPUs whose constants were recorded."""
    return tuple(sorted(path.stem for path in MACHINES.glob("*.json")))


@lru_cache
def load(gpu: str = DEFAULT) -> Machine:
    """The constants of a GPU, named as its file. UserError where nobody recorded them."""
    name = gpu.replace(" ", "-")
    if name not in known():
        raise UserError(f"nobody recorded the constants of '{gpu}'; recorded are {', '.join(known())}")
    data = json.loads((MACHINES / f"{name}.json").read_text(encoding="utf-8"))
    return Machine(name, data["machine"]["arch"], data["constants"])
