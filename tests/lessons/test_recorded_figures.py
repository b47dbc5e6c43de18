"""Sentences of the lessons that tell recorded figures tell those of the record."""

from __future__ import annotations

import json
from functools import cache

import pytest

from gemmlab.course.lesson import find_root, load

RECORD = "gemmlab/recorded/NVIDIA-H200.json"


@cache
def record() -> dict:
    return json.loads((find_root() / RECORD).read_text())


def recorded(name: str, side: int) -> dict:
    (shape,) = [one for one in record()["shapes"] if (one["M"], one["N"], one["K"]) == (side, side, side)]
    (kernel,) = [one for one in shape["kernels"] if one["name"] == name]
    return kernel


def share(name: str, side: int) -> str:
    """Of cuBLAS, '78.2 %', at M = N = K."""
    return f"{100 * recorded(name, side)['ratio_to_cublas']:.1f} %"


def sentences() -> dict[str, list[str]]:
    """By lesson, pieces of its text as the record has them. A lesson with a table in numbers/ needs none here."""
    return {
        "07": [
            f"this kernel reaches {share('07_vector_and_banks', 4096)} of cuBLAS at M = N = K = 4096, where lesson 06 "
            f"reaches {share('06_register_2d', 4096)}",
            f"{share('07_vector_and_banks', 1024)} against {share('06_register_2d', 1024)}",
        ],
        "08": [
            f"this lesson's kernel reaches {share('08_double_buffer', 4096)} of cuBLAS at M = N = K = 4096 and "
            f"{share('08_double_buffer', 1024)} at 1024; the other way, with a tile of 64×128 and BK = 16, reaches "
            f"{share('fast/register_prefetch', 4096)} and {share('fast/register_prefetch', 1024)}",
            f"with 64×128×16 this kernel reaches {share('08_double_buffer BM=64 BK=16', 1024)} at 1024",
        ],
        "09": [
            f"it reaches {share('fast/two_fragments', 4096)} of cuBLAS at M = N = K = 4096, where one set of fragments "
            f"reaches {share('09_warp_tile_autotune', 4096)}",
        ],
    }


GOALS = {"05_register_1d": 42, "06_register_2d": 60, "07_vector_and_banks": 72, "08_double_buffer": 80,
         "09_warp_tile_autotune": 85, "fast/two_fragments": 90}  # per cent of cuBLAS at 4096  # fmt: skip


@pytest.mark.parametrize("name", GOALS)
def test_the_record_reaches_what_the_ladder_promises(name):
    assert 100 * recorded(name, 4096)["ratio_to_cublas"] >= GOALS[name]


@pytest.mark.parametrize(("lesson", "piece"), [(name, piece) for name, all_ in sentences().items() for piece in all_])
def test_a_sentence_has_the_figures_of_the_record(lesson, piece):
    text = (find_root() / "lessons" / f"{load(lesson).name}.md").read_text(encoding="utf-8")
    assert piece in " ".join(text.split())
