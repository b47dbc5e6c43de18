"""Sentences of the lessons that tell recorded figures tell those of the record."""

from __future__ import annotations

import json
from functools import cache

import pytest

from gemmlab.course.lesson import find_root, load

RECORD = "gemmlab/recorded/NVIDIA-H200.json"
SHAPE = (1024, 1024, 1024)


@cache
def record() -> dict:
    return json.loads((find_root() / RECORD).read_text())


def gflops(name: str) -> float:
    (shape,) = [one for one in record()["shapes"] if (one["M"], one["N"], one["K"]) == SHAPE]
    (kernel,) = [one for one in shape["kernels"] if one["name"] == name]
    return kernel["gflops"]


def sentences() -> dict[str, list[str]]:
    """By lesson, pieces of its text as the record has them. The naive kernel does 2 FLOP for 8 bytes, the tiled one 4
    FLOP for each byte."""
    naive, tiled, ceilings = gflops("01_naive_mapping"), gflops("02_tiled_fma"), record()["ceilings"]
    return {
        "02": [
            f"recorded at {naive:,.0f} GFLOPS and this one at {tiled:,.0f}, which is {tiled / naive:.2f} times as fast",
            f"The kernel of lesson 01 asked for {naive / 0.25 / 1000:.1f} TB/s",
            f"Copying in memory reached {ceilings['copy_gbs'] / 1000:.2f} TB/s there",
            f"the L2 cache, which all of the GPU shares, {ceilings['l2_gbs'] / 1000:.1f} TB/s",
            f"This kernel asked global memory for {tiled / 4 / 1000:.1f} TB/s",
            f"the arithmetic is far from its {ceilings['fma_tflops']:.1f} TFLOP/s",
        ]
    }


@pytest.mark.parametrize(("lesson", "piece"), [(name, piece) for name, all_ in sentences().items() for piece in all_])
def test_a_sentence_has_the_figures_of_the_record(lesson, piece):
    text = (find_root() / "lessons" / f"{load(lesson).name}.md").read_text(encoding="utf-8")
    assert piece in " ".join(text.split())


def test_memory_cannot_have_delivered_what_the_naive_kernel_asked_for():
    assert gflops("01_naive_mapping") / 0.25 > record()["ceilings"]["l2_gbs"] > record()["ceilings"]["copy_gbs"]
    assert gflops("02_tiled_fma") / 4 < record()["ceilings"]["copy_gbs"]
